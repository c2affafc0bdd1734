namespace Weir.Execution.Processes.Portable;

/// <summary>
/// The bytes that wait to be written to one pipe: a write to a pipe may block, so the sender fills one buffer while another is
/// written. Bounded. Not synchronized; the lock of its pipe protects it.
/// </summary>
internal sealed class SendBuffer
{
    public const int Capacity = 256 * 1024;

    private byte[] _filling = [];
    private byte[] _writing = [];
    private int _filled;

    /// <summary>Takes as many bytes as fit, and returns their number.</summary>
    public int Add(ReadOnlySpan<byte> bytes)
    {
        var taken = Math.Min(bytes.Length, Capacity - _filled);
        if (_filling.Length < _filled + taken)
        {
            Array.Resize(ref _filling, Math.Min(Capacity, Math.Max(4096, (_filled + taken) * 2)));
        }

        bytes[..taken].CopyTo(_filling.AsSpan(_filled));
        _filled += taken;
        return taken;
    }

    /// <summary>Returns the collected bytes, to be written before the next such call; empty when there are none.</summary>
    public ReadOnlyMemory<byte> Swap()
    {
        (_filling, _writing) = (_writing, _filling);
        var ready = _writing.AsMemory(0, _filled);
        _filled = 0;
        return ready;
    }
}
