namespace Weir.Tests.Processes.Interleavings;

/// <summary>A hash of 64 bits of a state: with some millions of states, the probability of a collision is about one in a million.</summary>
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
            // The multiplication of splitmix64 between two rotations: similar states get very different hashes.
            _value = ulong.RotateLeft(_value ^ (unchecked((ulong)value) * 0x9E3779B97F4A7C15), 27) * 0xBF58476D1CE4E5B9;
        }
    }
}
