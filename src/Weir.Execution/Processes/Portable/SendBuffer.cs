namespace Weir.Execution.Processes.Portable;

/// <summary>
/// What waits to be written to one pipe: pipes have no writing without waiting, so whoever sends fills one buffer while another is
/// written. Bounded. Not synchronized; its pipe's lock does that.
/// </summary>
internal sealed class SendBuffer
{
    public const int Capacity = 256 * 1024;

    private byte[] _filling = [];
    private byte[] _writing = [];
    private int _filled;

    /// <summary>Takes what has room.</summary>
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

    /// <summary>Hands over what has gathered, to be written before the next such call; empty when nothing has.</summary>
    public ReadOnlyMemory<byte> Swap()
    {
        (_filling, _writing) = (_writing, _filling);
        var ready = _writing.AsMemory(0, _filled);
        _filled = 0;
        return ready;
    }
}
