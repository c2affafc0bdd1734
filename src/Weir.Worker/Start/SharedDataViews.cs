using System.Buffers;
using System.IO.MemoryMappedFiles;
using Weir.Protocol.Payloads;

namespace Weir.Worker.Start;

/// <summary>The shared data of one process: each is mapped by its first use, read-only, and never unmapped. Any thread.</summary>
/// <param name="pool">For messages.</param>
/// <param name="entries">What there is.</param>
/// <param name="mapDescriptor">Maps the descriptor with an index among those that were inherited, and a length above 0.</param>
/// <param name="mostSegment">The longest segment of what has more bytes than one memory.</param>
internal sealed unsafe class SharedDataViews(string pool, IReadOnlyList<SharedDataEntry> entries, Func<int, long, nint> mapDescriptor, int mostSegment = 1 << 30)
{
    private readonly object _gate = new();

    // Under _gate. In the order of the entries; of a type of this assembly, whose code is compiled before: that of a dictionary of sequences would be compiled by the first read.
    private readonly View?[] _views = new View?[entries.Count];

    // The files that are mapped stay so while they are held.
    private readonly List<MemoryMappedViewAccessor> _files = [];

    /// <exception cref="InvalidOperationException">There is no such data, or it cannot be mapped.</exception>
    public ReadOnlySequence<byte> Read(string name)
    {
        var descriptor = 0;
        for (var i = 0; i < _views.Length; i++)
        {
            var entry = entries[i];
            if (entry.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                lock (_gate)
                {
                    return (_views[i] ??= new View(Map(entry, descriptor))).Bytes;
                }
            }

            descriptor += entry.Path.Length == 0 ? 1 : 0;
        }

        throw new InvalidOperationException($"Pool '{pool}' has no shared data '{name}'; it has: {string.Join(", ", entries.Select(static entry => entry.Name))}.");
    }

    /// <summary>Segments over one mapping; one segment where the length fits.</summary>
    internal static ReadOnlySequence<byte> Split(byte* start, long length, int mostSegment)
    {
        if (length <= (mostSegment == 1 << 30 ? int.MaxValue : mostSegment))
        {
            return new ReadOnlySequence<byte>(new Mapping(start, (int)length).Memory);
        }

        var first = new Segment(new Mapping(start, mostSegment).Memory, null);
        var last = first;
        for (long offset = mostSegment; offset < length; offset += mostSegment)
        {
            last = new Segment(new Mapping(start + offset, (int)Math.Min(mostSegment, length - offset)).Memory, last);
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private ReadOnlySequence<byte> Map(SharedDataEntry entry, int descriptor) => entry.Length == 0 ? ReadOnlySequence<byte>.Empty
        : Split((byte*)(entry.Path.Length == 0 ? mapDescriptor(descriptor, entry.Length) : MapFile(entry)), entry.Length, mostSegment);

    private nint MapFile(SharedDataEntry entry)
    {
        try
        {
            using var file = new FileStream(entry.Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
            using var mapped = MemoryMappedFile.CreateFromFile(file, null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: false);
            var view = mapped.CreateViewAccessor(0, entry.Length, MemoryMappedFileAccess.Read);
            _files.Add(view);
            byte* start = null;
            view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
            return (nint)(start + view.PointerOffset);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new InvalidOperationException($"The shared data '{entry.Name}' of pool '{pool}' could not be mapped: {failure.Message}", failure);
        }
    }

    private sealed class View(ReadOnlySequence<byte> bytes)
    {
        public ReadOnlySequence<byte> Bytes => bytes;
    }

    // Without a finalizer: a span does not keep it.
    private sealed class Mapping(byte* start, int length) : MemoryManager<byte>
    {
        public override Span<byte> GetSpan() => new(start, length);

        public override MemoryHandle Pin(int elementIndex = 0) =>
            (uint)elementIndex <= (uint)length ? new MemoryHandle(start + elementIndex) : throw new ArgumentOutOfRangeException(nameof(elementIndex));

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, Segment? before)
        {
            Memory = memory;
            if (before is not null)
            {
                before.Next = this;
                RunningIndex = before.RunningIndex + before.Memory.Length;
            }
        }
    }
}
