namespace Weir.Tests.Execution;

public sealed class LaneOptionsTests
{
    public static TheoryData<string, Action<LaneOptions>> Wrong => new()
    {
        { "MaxThreads", options => options.MaxThreads = 0 },
        { "MinThreads", options => options.MinThreads = -1 },
        { "MinThreads", options => (options.MinThreads, options.MaxThreads) = (3, 2) },
        { "QueueLimit", options => options.QueueLimit = -1 },
        { "KeepAlive", options => options.KeepAlive = TimeSpan.Zero },

        // A wait that is longer than the system allows would throw and end the host.
        { "KeepAlive", options => options.KeepAlive = TimeSpan.FromDays(25) },
        { "KeepAlive", options => options.KeepAlive = TimeSpan.MaxValue },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void An_invalid_option_is_reported_with_its_value_and_the_next_step(string option, Action<LaneOptions> set)
    {
        var options = new LaneOptions();
        options.Validate();
        set(options);
        var failure = Assert.Throws<InvalidOperationException>(options.Validate);
        Assert.StartsWith($"Lane.{option} is ", failure.Message, StringComparison.Ordinal);
        Assert.Contains("; set it to ", failure.Message, StringComparison.Ordinal);
    }
}
