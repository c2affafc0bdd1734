namespace Weir.Jobs.TestHost;

/// <summary>The clock of a machine that is set wrong.</summary>
/// <param name="offset">By so much.</param>
internal sealed class OffsetTime(TimeSpan offset) : TimeProvider
{
    public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + offset;
}
