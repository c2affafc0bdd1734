using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>A limit that this machine cannot give: the application does not start, unless it is content with less.</summary>
public class RefusedLimitTests
{
    // No one who runs these tests has it.
    private const int NoSuchProcessor = 8000;

    [Fact]
    public void A_limit_that_cannot_hold_is_an_error_at_the_start()
    {
        var failure = Assert.Throws<InvalidOperationException>(() => new Application(weir => weir.Pool("controlled").Processors = [NoSuchProcessor]));
        Assert.StartsWith("Pool 'controlled' cannot be started. Processors (8000) could not be applied: ", failure.Message, StringComparison.Ordinal);
        Assert.EndsWith($"See {WeirCodes.LimitNotApplied}.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Part_of_a_limit_is_not_the_limit()
    {
        var failure = Assert.Throws<InvalidOperationException>(() => new Application(weir => weir.Pool("controlled").Processors = [0, NoSuchProcessor]));
        Assert.Contains("they read back as 0.", failure.Message, StringComparison.Ordinal);

        // The thread of the check has ended, with its priority and its processor.
        await using var pool = new ControlledPool(_ => { });
        Assert.Equal(Environment.ProcessorCount, await pool.AskAsync<int>("ProcessorCount"));
    }

    [Fact]
    public async Task With_best_effort_the_worker_runs_and_says_what_it_lacks()
    {
        await using var pool = new ControlledPool(options =>
        {
            options.BestEffort = true;
            options.Processors = [NoSuchProcessor];
            options.MemoryLimitBytes = 512 << 20;
        });
        Assert.Equal(Environment.ProcessorCount, await pool.AskAsync<int>("ProcessorCount"));
        Assert.Equal(512 << 20, await pool.AskAsync<long>("MemoryLimit"));
        Assert.Null(pool.Limits.Processors);
        Assert.StartsWith("Processors (8000) could not be applied", Assert.Single(pool.Limits.Missing), StringComparison.Ordinal);
        Assert.Contains("WITHOUT Processors (8000)", pool.Pool.Isolation, StringComparison.Ordinal);
    }
}
