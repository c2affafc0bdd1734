using System.Diagnostics.Metrics;
using System.Net.Sockets;
using Weir.Execution.Inline;
using Weir.Generated;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>What the log says of operations that block threads of the thread pool, and that it is silent about the others.</summary>
[Collection(nameof(Alone))]
public sealed class BlockingDetectionTests
{
    private const int Calls = 12;
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(30);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Sleep?ms=40", 4401, "Waiting/Sleep blocks", "Write [Blocking] above its method in Weir.IntegrationTests.Services.Waiting")]
    [InlineData("SleepFirst?ms=40", 4402, "Waiting/SleepFirst blocks", "In its method in Weir.IntegrationTests.Services.Waiting, await what it waits for")]
    [InlineData("SleepBetween?ms=40&count=2", 4402, "Waiting/SleepBetween blocks", "In its method in Weir.IntegrationTests.Services.Waiting, await what it waits for")]
    public async Task An_operation_that_blocks_is_named_once_and_counted(string query, int id, string start, string advice)
    {
        Assert.SkipWhen(ThreadTimes.Read() is null, "the kernel does not count the times of threads");
        await using var host = await StartAsync(static options => options.BlockingThreshold = TimeSpan.FromMilliseconds(20));
        await CallAsync(host, query);
        var line = Assert.Single(host.Log.Lines, static line => line.Category == "Weir.Execution");
        Assert.Equal(id, line.Event);
        Assert.StartsWith(start, line.Text, StringComparison.Ordinal);
        Assert.Contains(advice, line.Text, StringComparison.Ordinal);
        Assert.InRange(Blocked(start.Split(' ')[0]), 3, Calls);
    }

    [Fact]
    public async Task Operations_that_compute_or_await_or_run_on_the_lane_are_not_named()
    {
        await using var host = await StartAsync(static options => options.BlockingThreshold = TimeSpan.FromMilliseconds(20));
        foreach (var query in (string[])["Compute?ms=40", "Delay?ms=40", "SleepOnLane?ms=40", "Sleep?ms=1"])
        {
            await CallAsync(host, query);

            // More of them at a time than there are processors.
            await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => CallAsync(host, query)));
        }

        Assert.DoesNotContain(host.Log.Lines, static line => line.Category == "Weir.Execution");
    }

    [Fact]
    public async Task Operations_that_use_all_processors_are_not_named()
    {
        await using var host = await StartAsync(static options => options.StarvationThreshold = TimeSpan.FromMilliseconds(100));
        await Task.WhenAll(Enumerable.Range(0, 8 * Environment.ProcessorCount).Select(_ => host.Client.GetStringAsync("/Waiting/Compute?ms=400", Cancel)));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Category == "Weir.Execution" && line.Text.Contains("Waiting", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_operation_that_starves_the_thread_pool_is_named_and_so_is_the_end_of_it()
    {
        await using var host = await StartAsync(static options => options.StarvationThreshold = TimeSpan.FromMilliseconds(200));

        // This test may not use the thread pool either.
        await Task.Factory.StartNew(
            () => Starve(host.Http1.Port, () => host.Log.Lines.Any(static line => line.Category == "Weir.Execution")), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Assert.True(await ProcFiles.EventuallyAsync(() => host.Log.Lines.Any(static line => line.Event == 4406), Soon));
        var lines = host.Log.Lines.Where(static line => line.Category == "Weir.Execution").ToArray();
        Assert.Equal([4403, 4406], lines.Select(static line => line.Event));
        Assert.Matches(@"^The thread pool is starved: work has waited \d+ ms .* blocked by these operations: Waiting/Result \(\d+\)\. Write \[Blocking\]", lines[0].Text);
    }

    private static Task<WeirHost> StartAsync(Action<WeirOptions> configure) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Weir = options =>
        {
            TestPools.StartOnDemand(options);
            configure(options);
        },
    });

    private static async Task CallAsync(WeirHost host, string query)
    {
        for (var i = 0; i < Calls; i++)
        {
            await host.Client.GetStringAsync($"/Waiting/{query}", Cancel);
        }
    }

    // Many more calls than the thread pool makes threads for, until the condition holds.
    private static void Starve(int port, Func<bool> isDone)
    {
        var connections = new List<TcpClient>();
        try
        {
            for (var i = 0; i < 100; i++)
            {
                var connection = new TcpClient("127.0.0.1", port);
                connections.Add(connection);
                connection.GetStream().Write("GET /Waiting/Result HTTP/1.1\r\nHost: localhost\r\n\r\n"u8);
            }

            SpinWait.SpinUntil(isDone, Soon);
        }
        finally
        {
            Waiting.Gate.TrySetResult(1);
            connections.ForEach(static connection => connection.Dispose());
        }
    }

    private static long Blocked(string operation)
    {
        var blocked = 0L;
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument is { Name: "weir.inline.calls.blocked" })
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) => blocked += tags[0].Value as string == operation ? value : 0);
        listener.Start();
        listener.RecordObservableInstruments();
        return blocked;
    }
}
