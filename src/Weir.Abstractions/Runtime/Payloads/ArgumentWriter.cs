using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// The arguments of a call on their way to a worker: one JSON object with a member per value, and bytes as raw parts,
/// which are referred to and not copied. Not for concurrent use.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ArgumentWriter : IDisposable
{
    private BinaryArgument[] _raw = [];

    /// <summary>The JSON object of the values; empty when the operation has none.</summary>
    public PayloadWriter Values { get; } = new() { IsForWorker = true };

    /// <summary>The raw parts, in the order in which they were added; valid until <see cref="Clear"/>.</summary>
    public ReadOnlySpan<BinaryArgument> Raw => _raw.AsSpan(0, RawCount);

    /// <summary>How many raw parts there are.</summary>
    public int RawCount { get; private set; }

    /// <summary>Adds bytes as a raw part.</summary>
    /// <param name="parameter">The parameter's position in <see cref="Operation.Parameters"/>.</param>
    /// <param name="bytes">Must stay unchanged until the call's frame was copied or sent.</param>
    public void AddRaw(int parameter, ReadOnlyMemory<byte> bytes)
    {
        if (RawCount == _raw.Length)
        {
            Array.Resize(ref _raw, Math.Max(2, _raw.Length * 2));
        }

        _raw[RawCount++] = new BinaryArgument(parameter, bytes);
    }

    /// <summary>Clears everything and keeps the buffers.</summary>
    public void Clear()
    {
        Values.Clear();
        _raw.AsSpan(0, RawCount).Clear();
        RawCount = 0;
    }

    /// <summary>Returns the buffers to the pool; the writer stays usable.</summary>
    public void Dispose()
    {
        Clear();
        Values.Dispose();
    }
}
