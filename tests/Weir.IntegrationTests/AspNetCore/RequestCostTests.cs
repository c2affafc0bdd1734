using System.Diagnostics;
using System.Reflection;
using Microsoft.Extensions.Logging;
using Weir.Generated;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>What a request costs the server in managed bytes once everything is warm; all threads are counted.</summary>
[Collection(nameof(Alone))]
public sealed class RequestCostTests
{
    private const int Depth = 16;
    private const int Requests = 4000;
    private const int Waiting = 200;

    // What the runtime's own threads may allocate during the measurement.
    private const double Noise = 1;

    // Until the runtime has compiled hot methods again: code without optimization allocates more.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    [Fact]
    public Task A_request_costs_no_more_than_its_result()
    {
        // The record: two words of every object, a reference, a number.
        const int Record = 32;
        return CheckAsync("/Echoes/Echo?name=weir&x=1&y=2", """{"name":"weir","sum":3}""", Record);
    }

    [Fact]
    public Task A_request_whose_result_is_a_number_costs_nothing() => CheckAsync("/Echoes/Sum?x=1&y=2", "3", 0);

    [Fact]
    public Task A_request_that_is_recorded_costs_nothing_more() => CheckAsync("/Echoes/Sum?x=1&y=2", "3", 0, isRecorded: true);

    /// <summary>A collection stops the host for as long as it takes to walk the stack of every thread of the lane, so there should be few of them.</summary>
    [Fact]
    public async Task Hundreds_of_requests_that_wait_for_the_lane_at_once_reuse_what_they_need()
    {
        // The framework's query, its tasks and those of the response; without reuse it is above 2,000.
        const int Most = 1000;
        await using var host = await StartAsync(nameof(Naps));
        var clients = Enumerable.Range(0, Waiting).Select(_ => new RawRequests(host.Http1.Port, "/Naps/Take?ms=20", depth: 1)).ToArray();
        try
        {
            Assert.EndsWith("\r\n\r\n20", clients[0].Answer, StringComparison.Ordinal);
            Assert.InRange(await LeastAsync(Most, Waiting, Run), 0, Most);
        }
        finally
        {
            Array.ForEach(clients, static client => client.Dispose());
        }

        void Run()
        {
            Array.ForEach(clients, static client => client.Send());
            Array.ForEach(clients, static client => client.Receive());
        }
    }

    private static async Task CheckAsync(string path, string body, int cost, bool isRecorded = false)
    {
        await using var host = await StartAsync(nameof(Echoes), isRecorded);
        Assert.Equal(isRecorded, host.Runtime.Recorder is not null);
        using var client = new RawRequests(host.Http1.Port, path, Depth);
        Assert.EndsWith("\r\n\r\n" + body, client.Answer, StringComparison.Ordinal);
        Assert.InRange(await LeastAsync(cost + Noise, Requests, Run), 0, cost + Noise);

        void Run()
        {
            for (var sent = 0; sent < Requests; sent += Depth)
            {
                client.Send();
                client.Receive();
            }
        }
    }

    private static Task<WeirHost> StartAsync(string service, bool isRecorded = false)
    {
        Assert.SkipWhen(
            typeof(WeirServerOptions).Assembly.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true },
            "code of a Debug build allocates more; build with -c Release");
        return WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new OneService(service)],
            Services = static builder => builder.Logging.ClearProviders(),
            Weir = options => (options.RunInline, options.Recording.Enabled) = (true, isRecorded),
        });
    }

    // The leanest round: what the runtime does beside is not the requests' doing, what they cost is in every round. The connections
    // are open before anything is counted, and their clients allocate nothing.
    private static async Task<double> LeastAsync(double enough, int requests, Action run)
    {
        var least = double.MaxValue;
        for (var watch = Stopwatch.StartNew(); least > enough && watch.Elapsed < Patience;)
        {
            run();
            await Task.Delay(Pause, TestContext.Current.CancellationToken);
            var before = GC.GetTotalAllocatedBytes(precise: true);
            run();
            least = Math.Min(least, (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)requests);
        }

        return least;
    }

    private sealed class OneService(string name) : ServiceCatalog
    {
        public override string AssemblyName => ApplicationCatalog.AssemblyName;

        public override Guid Identity => Guid.Empty;

        public override IReadOnlyList<Service> Services { get; } =
            [ApplicationCatalog.Catalogs.SelectMany(static catalog => catalog.Services).Single(service => service.Name == name)];

        public override IReadOnlyList<Proxy> Proxies => [];
    }
}
