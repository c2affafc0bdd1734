namespace Weir.AspNetCore.RequestStreams;

/// <summary>One item per line. Empty lines are skipped: a sender uses them to show that it is alive.</summary>
internal sealed class LineFraming : ItemFraming
{
    internal override bool PassesOverBlank => true;

    internal override string Expected => "one JSON value in each line";

    internal override bool TryScan(ReadOnlySpan<byte> bytes, out ItemPart part)
    {
        var end = bytes.IndexOf((byte)'\n');
        part = end < 0 ? new ItemPart(0, bytes.Length, bytes.Length, IsWhole: false) : new ItemPart(0, end, end + 1, IsWhole: true);
        return true;
    }

    internal override bool TryEnd(out bool isWhole)
    {
        isWhole = true;
        return true;
    }
}
