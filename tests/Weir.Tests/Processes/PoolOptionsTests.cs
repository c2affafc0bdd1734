using Weir.Execution;

namespace Weir.Tests.Processes;

public class PoolOptionsTests
{
    [Fact]
    public void The_defaults_are_those_of_the_documentation()
    {
        var options = new PoolOptions();
        options.Validate("test");
        Assert.Equal(1, options.MinWorkers);
        Assert.Equal(Environment.ProcessorCount, options.MaxWorkers);
        Assert.Equal(10 * options.MaxWorkers, options.QueueLimit);
        Assert.Equal(TimeSpan.FromSeconds(10), options.IdleTimeout);
        Assert.Equal(TimeSpan.FromSeconds(2), options.CancelGrace);
        Assert.Equal(TimeSpan.FromSeconds(10), options.StartTimeout);
        Assert.Equal(5, options.RestartBudget);
        Assert.Equal(TimeSpan.FromSeconds(30), options.StallTimeout);
        Assert.Equal(64 << 20, options.PayloadLimitBytes);
        Assert.Null(options.MemoryLimitBytes);
    }

    [Fact]
    public void The_queue_grows_with_the_workers_until_it_is_set()
    {
        var options = new PoolOptions { MaxWorkers = 7 };
        Assert.Equal(70, options.QueueLimit);
        options.QueueLimit = 3;
        options.MaxWorkers = 9;
        Assert.Equal(3, options.QueueLimit);
    }

    public static TheoryData<string, Action<PoolOptions>> Wrong => new()
    {
        { "MaxWorkers", options => options.MaxWorkers = 0 },
        { "MaxWorkers", options => options.MaxWorkers = 1025 },
        { "MinWorkers", options => options.MinWorkers = -1 },
        { "MinWorkers", options => (options.MinWorkers, options.MaxWorkers) = (3, 2) },
        { "QueueLimit", options => options.QueueLimit = -1 },
        { "IdleTimeout", options => options.IdleTimeout = TimeSpan.Zero },
        { "IdleTimeout", options => options.IdleTimeout = TimeSpan.MaxValue },
        { "CancelGrace", options => options.CancelGrace = TimeSpan.FromSeconds(-1) },
        { "CancelGrace", options => options.CancelGrace = TimeSpan.MaxValue },
        { "StartTimeout", options => options.StartTimeout = TimeSpan.Zero },
        { "RestartBudget", options => options.RestartBudget = 0 },
        { "RestartBudget", options => options.RestartBudget = int.MaxValue },
        { "MemoryLimitBytes", options => options.MemoryLimitBytes = 1 << 20 },
        { "PayloadLimitBytes", options => options.PayloadLimitBytes = 100 },
        { "PayloadLimitBytes", options => options.PayloadLimitBytes = (64 << 20) + 1 },
        { "StallTimeout", options => options.StallTimeout = TimeSpan.Zero },
        { "Command", options => options.Command = [] },
        { "Command", options => options.Command = ["python3", ""] },
        { "Configuration", options => options.Configuration["key"] = new string('x', 1_000_000) },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void An_option_that_cannot_be_is_named_with_its_value_and_the_next_step(string option, Action<PoolOptions> set)
    {
        var options = new PoolOptions();
        set(options);
        var failure = Assert.Throws<InvalidOperationException>(() => options.Validate("hashing"));
        Assert.StartsWith($"{option} of pool 'hashing' is ", failure.Message, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.InvalidOptions, failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_copy_has_everything_and_does_not_change_with_the_original()
    {
        var options = new PoolOptions
        {
            MinWorkers = 2,
            MaxWorkers = 3,
            QueueLimit = 4,
            IdleTimeout = null,
            CancelGrace = TimeSpan.FromSeconds(5),
            StartTimeout = TimeSpan.FromSeconds(6),
            RestartBudget = 7,
            MemoryLimitBytes = 800 << 20,
            PayloadLimitBytes = 9 << 20,
            StallTimeout = null,
            Command = ["python3", "worker.py"],
        };
        options.Configuration["key"] = "value";
        var copy = options.Copy();
        foreach (var property in typeof(PoolOptions).GetProperties().Where(property => property.Name != nameof(PoolOptions.Configuration)))
        {
            Assert.Equal(property.GetValue(options), property.GetValue(copy));
        }

        options.Configuration.Clear();
        Assert.Equal("value", copy.Configuration["key"]);
    }
}
