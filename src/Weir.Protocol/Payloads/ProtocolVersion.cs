namespace Weir.Protocol.Payloads;

/// <summary>The versions of the protocol that this build supports.</summary>
internal static class ProtocolVersion
{
    /// <summary>The lowest.</summary>
    public const int Lowest = 1;

    /// <summary>The highest.</summary>
    public const int Highest = 1;

    /// <summary>The version that two sides use: the highest one that both support; 0 when there is none.</summary>
    /// <param name="min">The other side's lowest.</param>
    /// <param name="max">The other side's highest.</param>
    public static int Agree(int min, int max) =>
        Math.Min(max, Highest) is var version && version >= Math.Max(min, Lowest) ? version : 0;
}
