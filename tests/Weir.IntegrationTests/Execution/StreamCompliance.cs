using Weir.Execution.Processes.Portable;
using Weir.IntegrationTests.Services;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>What every executor promises about streams; the same operations, placed differently.</summary>
public abstract class StreamCompliance : IAsyncLifetime
{
    private protected static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    private Application _application = null!;

    private protected abstract string Count { get; }

    private protected abstract string CountAndFail { get; }

    private protected virtual void Configure(WeirOptions options)
    {
    }

    public virtual ValueTask InitializeAsync()
    {
        _application = new Application(Configure);
        return default;
    }

    public virtual async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(10_000)]
    public async Task All_items_come_in_order(int n)
    {
        var pump = new CollectingPump();
        await StreamAsync(Count, n, pump);
        Assert.Equal(Enumerable.Range(0, n).Select(static i => $"{i}"), pump.Items);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(5_000)]
    public virtual async Task A_failure_comes_after_the_items_before_it(int n)
    {
        var pump = new CollectingPump();
        var error = await Assert.ThrowsAnyAsync<Exception>(() => StreamAsync(CountAndFail, n, pump));
        Assert.Equal($"after {n}", error.Message);
        Assert.Equal(n, pump.Items.Count);
    }

    [Fact]
    public async Task A_pump_that_fails_ends_the_producer_and_its_failure_is_the_ending()
    {
        var pump = new CollectingPump(static (count, _) => count == 5 ? throw new FormatException("no more") : Task.CompletedTask);
        await Assert.ThrowsAsync<FormatException>(() => StreamAsync(Count, 1_000_000, pump));
        Assert.Equal(5, pump.Items.Count);
    }

    [Fact]
    public async Task A_caller_who_leaves_ends_the_producer()
    {
        using var leaving = new CancellationTokenSource();
        var pump = new CollectingPump(async (count, token) =>
        {
            if (count == 5)
            {
                await leaving.CancelAsync();
            }

            token.ThrowIfCancellationRequested();
        });
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => StreamAsync(Count, 1_000_000, pump, leaving));
        Assert.Equal(5, pump.Items.Count);
    }

    private protected virtual Task StreamAsync(string path, int n, CollectingPump pump, CancellationTokenSource? leaving = null) => _application
        .StreamAsync(path, $$"""{"n":{{n}}}""", pump, new CallRequest { Admission = CallAdmission.Wait, CancellationToken = leaving?.Token ?? default })
        .WaitAsync(Soon, TestContext.Current.CancellationToken);
}

public sealed class InlineStreamTests : StreamCompliance
{
    private protected override string Count => "InlineAsync/Count";

    private protected override string CountAndFail => "InlineAsync/CountAndFail";
}

public sealed class LaneStreamTests : StreamCompliance
{
    private protected override string Count => "LaneStream/CountBlocking";

    private protected override string CountAndFail => "LaneStream/CountBlockingAndFail";
}

public sealed class PoolStreamTests : StreamCompliance
{
    private protected override string Count => "IsolatedAsync/Count";

    private protected override string CountAndFail => "IsolatedAsync/CountAndFail";
}

public sealed class PoolBlockingStreamTests : StreamCompliance
{
    private protected override string Count => "IsolatedStream/CountBlocking";

    private protected override string CountAndFail => "IsolatedStream/CountBlockingAndFail";
}

public sealed class PortablePoolStreamTests : StreamCompliance
{
    private protected override string Count => "IsolatedAsync/Count";

    private protected override string CountAndFail => "IsolatedAsync/CountAndFail";

    private protected override void Configure(WeirOptions options) => options.Pool("probe").Launcher = new PortableLauncher();
}
