using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Text;
using Microsoft.Extensions.Logging;
using Weir.Generated;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>What a pipelined request costs the server in managed bytes once everything is warm; all threads are counted.</summary>
[Collection(nameof(Alone))]
public sealed class RequestCostTests
{
    private const int Depth = 16;
    private const int Requests = 4000;

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

    // The leanest round: what the runtime does beside is not the requests' doing, what they cost is in every round. The connection
    // is open before anything is counted, and its client allocates nothing.
    private static async Task CheckAsync(string path, string body, int cost)
    {
        Assert.SkipWhen(
            typeof(WeirServerOptions).Assembly.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true },
            "code of a Debug build allocates more; build with -c Release");
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new EchoesAlone()],
            Services = static builder => builder.Logging.ClearProviders(),
        });
        using var client = new Client(host.Http1.Port, path);
        Assert.EndsWith("\r\n\r\n" + body, client.Answer, StringComparison.Ordinal);

        var least = double.MaxValue;
        for (var watch = Stopwatch.StartNew(); least > cost + Noise && watch.Elapsed < Patience;)
        {
            client.Run();
            await Task.Delay(Pause, TestContext.Current.CancellationToken);
            var before = GC.GetTotalAllocatedBytes(precise: true);
            client.Run();
            least = Math.Min(least, (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)Requests);
        }

        Assert.InRange(least, 0, cost + Noise);
    }

    private sealed class EchoesAlone : ServiceCatalog
    {
        public override string AssemblyName => ApplicationCatalog.AssemblyName;

        public override Guid Identity => Guid.Empty;

        public override IReadOnlyList<Service> Services { get; } =
            [ApplicationCatalog.Catalogs.SelectMany(static catalog => catalog.Services).Single(static service => service.Name == nameof(Echoes))];

        public override IReadOnlyList<Proxy> Proxies => [];
    }

    /// <summary>One connection, always with the same request, whose responses are all equally long.</summary>
    private sealed class Client : IDisposable
    {
        private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveTimeout = 10_000 };
        private readonly byte[] _requests;
        private readonly byte[] _received = new byte[64 * 1024];

        internal Client(int port, string path)
        {
            _requests = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat($"GET {path} HTTP/1.1\r\nHost: test\r\n\r\n", Depth)));
            _socket.Connect(IPAddress.Loopback, port);
            _socket.Send(_requests.AsSpan(0, _requests.Length / Depth));
            Answer = Encoding.ASCII.GetString(_received, 0, _socket.Receive(_received));
        }

        /// <summary>The first response.</summary>
        internal string Answer { get; }

        public void Dispose() => _socket.Dispose();

        internal void Run()
        {
            for (var sent = 0; sent < Requests; sent += Depth)
            {
                _socket.Send(_requests);
                for (var missing = Depth * Answer.Length; missing > 0;)
                {
                    var count = _socket.Receive(_received);
                    missing -= count > 0 && count <= missing ? count : throw new IOException($"{count} bytes came where {missing} were missing.");
                }
            }
        }
    }
}
