using System.Text;

namespace Weir.Execution.Processes;

/// <summary>Keeps the last bytes that one worker printed, for the report of a crash. Any thread.</summary>
internal sealed class OutputTail
{
    public const int Capacity = 64 * 1024;
    private const int FirstCapacity = 1024;

    private readonly Lock _gate = new();

    // Most workers print nothing: nothing is allocated for them. A ring once it has grown to Capacity.
    private byte[] _bytes = [];
    private int _next;
    private bool _wrapped;

    public void Append(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            bytes = bytes.Length <= Capacity ? bytes : bytes[^Capacity..];
            Grow_NeedsLock(bytes.Length);
            var first = Math.Min(bytes.Length, _bytes.Length - _next);
            bytes[..first].CopyTo(_bytes.AsSpan(_next));
            bytes[first..].CopyTo(_bytes);
            _wrapped |= _next + bytes.Length >= Capacity;
            _next = (_next + bytes.Length) % Capacity;
        }
    }

    public override string ToString()
    {
        lock (_gate)
        {
            return _wrapped
                ? Encoding.UTF8.GetString([.. _bytes.AsSpan(_next), .. _bytes.AsSpan(0, _next)])
                : Encoding.UTF8.GetString(_bytes.AsSpan(0, _next));
        }
    }

    private void Grow_NeedsLock(int more)
    {
        var wanted = Math.Min(Capacity, _next + more);
        if (!_wrapped && _bytes.Length < wanted)
        {
            Array.Resize(ref _bytes, Math.Min(Capacity, Math.Max(FirstCapacity, wanted * 2)));
        }
    }
}
