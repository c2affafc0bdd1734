using System.Runtime.InteropServices;
using Weir.Runtime;

namespace Weir.AspNetCore.Binding;

/// <summary>
/// Where a large body waits until it is complete: memory outside the managed heap, released to the system at once when its sender
/// disconnects. Only a complete body becomes an array, of exactly its size. Of one request; not for concurrent use.
/// </summary>
internal sealed class BodyStage : IDisposable
{
    // Untouched parts of a chunk cost only addresses. Above 32 MB glibc always maps a block by itself and unmaps it when it is
    // freed; it keeps smaller blocks.
    private const int ChunkSize = 64 * 1024 * 1024;

    private readonly List<UnmanagedMemoryStream> _streams = [];
    private readonly List<Chunk> _chunks = [];
    private UnmanagedMemoryStream? _last;

    /// <summary>How many bytes wait.</summary>
    internal long Length { get; private set; }

    /// <summary>Appends bytes.</summary>
    /// <param name="bytes">Copied.</param>
    internal void Write(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_last is null || _last.Position == ChunkSize)
            {
                Add();
            }

            var part = bytes[..(int)Math.Min(bytes.Length, ChunkSize - _last!.Position)];
            _last.Write(part);
            Length += part.Length;
            bytes = bytes[part.Length..];
        }
    }

    /// <summary>Appends the waiting bytes to a buffer, and releases them.</summary>
    /// <exception cref="PayloadTooLargeException">No array holds it.</exception>
    internal void MoveTo(PayloadWriter into)
    {
        var space = into.GetSpan((int)Math.Min(Length, int.MaxValue))[..(int)Length];
        for (var i = 0; i < _chunks.Count; i++)
        {
            var part = space[..Math.Min(space.Length, ChunkSize)];
            _streams[i].Position = 0;
            _streams[i].ReadExactly(part);
            _chunks[i].Dispose();
            space = space[part.Length..];
        }

        into.Advance((int)Length);
        Dispose();
    }

    public void Dispose()
    {
        _streams.ForEach(static stream => stream.Dispose());
        _chunks.ForEach(static chunk => chunk.Dispose());
        _streams.Clear();
        _chunks.Clear();
        _last = null;
        Length = 0;
    }

    private void Add()
    {
        var chunk = new Chunk(ChunkSize);
        _chunks.Add(chunk);
        _last = new UnmanagedMemoryStream(chunk, 0, ChunkSize, FileAccess.ReadWrite);
        _streams.Add(_last);
    }

    private sealed class Chunk : SafeBuffer
    {
        internal Chunk(int size)
            : base(ownsHandle: true)
        {
            Initialize((ulong)size);
            SetHandle(Marshal.AllocHGlobal(size));
        }

        protected override bool ReleaseHandle()
        {
            Marshal.FreeHGlobal(handle);
            return true;
        }
    }
}
