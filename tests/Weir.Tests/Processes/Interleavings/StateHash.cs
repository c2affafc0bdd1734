namespace Weir.Tests.Processes.Interleavings;

/// <summary>Sixty-four bits of a state: among some millions of states two are mistaken for one with a chance of one in a million.</summary>
internal struct StateHash
{
    private ulong _value = 14695981039346656037;

    public StateHash()
    {
    }

    public readonly ulong Value => _value;

    public void Add(params ReadOnlySpan<long> values)
    {
        foreach (var value in values)
        {
            // The multiply of splitmix64 between two rotations: neighbours end far apart.
            _value = ulong.RotateLeft(_value ^ (unchecked((ulong)value) * 0x9E3779B97F4A7C15), 27) * 0xBF58476D1CE4E5B9;
        }
    }
}
