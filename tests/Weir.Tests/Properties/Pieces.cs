namespace Weir.Tests.Properties;

/// <summary>Splits bytes into pieces of the given lengths, which are used cyclically.</summary>
internal sealed class Pieces(ushort[] lengths)
{
    private int _next;

    /// <summary>The length of the next piece, not 0.</summary>
    public int Next(int most) => lengths.Length == 0 ? most : Math.Clamp(lengths[_next++ % lengths.Length], 1, most);
}
