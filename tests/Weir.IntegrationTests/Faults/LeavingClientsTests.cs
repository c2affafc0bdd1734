using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>Clients that disconnect while the server sends as fast as it can, from producers that never wait. The host is a process of its own.</summary>
[Collection(nameof(Alone))]
public sealed class LeavingClientsTests
{
    private const int Clients = 500;
    private const string Endless = "days=2000000000&delay=0";

    // Other requests need a few milliseconds during that time, and seconds at most on a machine whose processors are busy with other things.
    // Without the mechanisms that are tested here no answer comes at all.
    private static readonly TimeSpan Answered = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Ended = TimeSpan.FromSeconds(20);

    private static readonly string[] Formats = [".json", ".ndjson", ".sse", ""];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory(Timeout = 180_000)]
    [InlineData("Next", false)]
    [InlineData("NextBlocking", false)]
    [InlineData("NextIsolated", false)]
    [InlineData("Next", true)]
    [InlineData("NextBlocking", true)]
    [InlineData("NextIsolated", true)]
    public async Task Clients_that_disconnect_at_once_leave_an_idle_host_that_answers(string operation, bool http2)
    {
        await using var showcase = await ShowcaseProcess.StartAsync(
            http2 ? ["--Kestrel:EndpointDefaults:Protocols=Http2"] : null,
            new Dictionary<string, string> { ["Logging__LogLevel__Weir"] = "Warning" });
        using var asking = Client(showcase.Address, http2);
        await asking.GetStringAsync("/Hello/World", Cancel);

        // 1. Half of them read, the others never do; all formats. Then all are gone.
        var crowd = http2 ? (ICrowd)new Http2Crowd(showcase.Address) : new Http1Crowd(showcase.Address);
        using (crowd)
        {
            for (var i = 0; i < Clients; i++)
            {
                await crowd.OpenAsync($"/Weather/{operation}{Formats[i % Formats.Length]}?{Endless}", reads: i % 2 == 0);
            }

            // A pool has four workers; streams that wait for one get nothing.
            await crowd.HaveReadAsync(operation == "NextIsolated" ? 4 : Clients / 4);
        }

        // 2. Others are answered.
        var worst = TimeSpan.Zero;
        for (var i = 0; i < 50; i++)
        {
            var began = TimeProvider.System.GetTimestamp();
            Assert.Equal("Hello, world", await asking.GetStringAsync("/Hello/World", Cancel));
            var took = TimeProvider.System.GetElapsedTime(began);
            worst = took > worst ? took : worst;
        }

        Assert.True(worst <= Answered, $"An answer took {worst}.");

        // 3. No producer continues, and the host has nothing to do.
        var report = default(JsonElement);
        var start = TimeProvider.System.GetTimestamp();
        do
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < Ended, $"Producers continue: {report}");
            using var document = JsonDocument.Parse(await asking.GetStringAsync("/Weather/Stopped", Cancel));
            report = document.RootElement.Clone();
        }
        while (Count("started") != Count("finished") + Count("stoppedEarly"));

        Assert.InRange(Count("started"), 1, Clients);
        using var process = Process.GetProcessById(showcase.Pid);
        Assert.True(await ProcFiles.EventuallyAsync(() => IsIdle(process), Ended), "The host is not idle.");

        long Count(string name) => report.GetProperty(name).GetInt64();
    }

    [Fact(Timeout = 180_000)]
    public Task A_host_that_gets_sigterm_beside_readers_at_full_speed_ends_within_its_shutdown_timeout() => TerminateAsync(8);

    [Fact(Timeout = 180_000), Trait("Kind", "Long")]
    public Task A_host_that_gets_sigterm_beside_40_readers_at_full_speed_ends_within_its_shutdown_timeout() => TerminateAsync(40);

    private static async Task TerminateAsync(int readers)
    {
        await using var showcase = await ShowcaseProcess.StartAsync(["--shutdownTimeoutSeconds=8"]);
        using var crowd = new Http1Crowd(showcase.Address);
        for (var i = 0; i < readers; i++)
        {
            await crowd.OpenAsync("/Guids/Stream?count=2000000000", reads: true);
        }

        await crowd.HaveReadAsync(readers);
        var began = TimeProvider.System.GetTimestamp();
        Assert.Equal(0, await showcase.TerminateAsync());
        Assert.InRange(TimeProvider.System.GetElapsedTime(began).TotalSeconds, 5, 8);
    }

    // Less than half of one processor over a fifth of a second.
    private static bool IsIdle(Process process)
    {
        process.Refresh();
        var (before, began) = (process.TotalProcessorTime, TimeProvider.System.GetTimestamp());
        Thread.Sleep(200);
        process.Refresh();
        return (process.TotalProcessorTime - before) < TimeProvider.System.GetElapsedTime(began) / 2;
    }

    private static HttpClient Client(Uri address, bool http2, Func<SocketsHttpConnectionContext, CancellationToken, ValueTask<Stream>>? connect = null) => new(new SocketsHttpHandler
    {
        EnableMultipleHttp2Connections = true,
        ResponseDrainTimeout = TimeSpan.Zero,
        ConnectCallback = connect,
    })
    {
        BaseAddress = address,
        DefaultRequestVersion = http2 ? HttpVersion.Version20 : HttpVersion.Version11,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
    };

    private static async Task WaitAsync(SemaphoreSlim readers, int count)
    {
        for (var i = 0; i < count; i++)
        {
            await readers.WaitAsync(Cancel).WithinAsync(120);
        }
    }

    /// <summary>Many clients; disposing it is all of them disconnecting.</summary>
    private interface ICrowd : IDisposable
    {
        Task OpenAsync(string path, bool reads);

        /// <summary>Ends when so many have got something of a stream.</summary>
        Task HaveReadAsync(int clients);
    }

    private sealed class Http1Crowd(Uri address) : ICrowd
    {
        private readonly List<Socket> _sockets = [];
        private readonly SemaphoreSlim _readers = new(0);

        public async Task OpenAsync(string path, bool reads)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            _sockets.Add(socket);
            await socket.ConnectAsync(IPAddress.Loopback, address.Port, Cancel);
            await socket.SendAsync(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")), Cancel);
            if (reads)
            {
                _ = ReadAsync(socket);
            }
        }

        public Task HaveReadAsync(int clients) => WaitAsync(_readers, clients);

        public void Dispose()
        {
            for (var i = 0; i < _sockets.Count; i++)
            {
                // Some say goodbye, and some are just gone.
                if (i % 3 == 0)
                {
                    _sockets[i].LingerState = new LingerOption(true, 0);
                }

                _sockets[i].Dispose();
            }
        }

        private async Task ReadAsync(Socket socket)
        {
            var buffer = new byte[64 * 1024];
            try
            {
                var isStream = Encoding.ASCII.GetString(buffer, 0, await socket.ReceiveAsync(buffer)).StartsWith("HTTP/1.1 200", StringComparison.Ordinal);
                if (isStream)
                {
                    _readers.Release();
                }

                while (await socket.ReceiveAsync(buffer) > 0)
                {
                    // As fast as they come.
                }
            }
            catch (Exception error) when (error is SocketException or ObjectDisposedException)
            {
                // The client has disconnected.
            }
        }
    }

    private sealed class Http2Crowd : ICrowd
    {
        private readonly HttpClient _client;
        private readonly List<HttpResponseMessage> _responses = [];
        private readonly List<Socket> _sockets = [];
        private readonly SemaphoreSlim _readers = new(0);
        private bool _hasLeft;

        internal Http2Crowd(Uri address) => _client = Client(address, http2: true, ConnectAsync);

        public Task OpenAsync(string path, bool reads)
        {
            // A stream that waits for a worker answers nothing until it has one.
            _ = RunAsync(path, reads);
            return Task.CompletedTask;
        }

        public Task HaveReadAsync(int clients) => WaitAsync(_readers, clients);

        public void Dispose()
        {
            // Half of them reset their streams, then the connections are gone.
            lock (_responses)
            {
                for (var i = 0; i < _responses.Count; i += 2)
                {
                    _responses[i].Dispose();
                }
            }

            // What still waits for its answer must not open another connection.
            _client.Dispose();
            lock (_sockets)
            {
                _hasLeft = true;
                _sockets.ForEach(static socket => socket.Dispose());
            }
        }

        private async ValueTask<Stream> ConnectAsync(SocketsHttpConnectionContext context, CancellationToken cancellationToken)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            await socket.ConnectAsync(context.DnsEndPoint, cancellationToken);
            lock (_sockets)
            {
                ObjectDisposedException.ThrowIf(_hasLeft, this);
                _sockets.Add(socket);
            }

            return new NetworkStream(socket);
        }

        private async Task RunAsync(string path, bool reads)
        {
            try
            {
                var response = await _client.GetAsync(path, HttpCompletionOption.ResponseHeadersRead);
                lock (_responses)
                {
                    _responses.Add(response);
                }

                await using var stream = await response.Content.ReadAsStreamAsync();
                var buffer = new byte[64 * 1024];
                if (response.IsSuccessStatusCode && await stream.ReadAsync(buffer) > 0)
                {
                    _readers.Release();
                }

                while (reads && await stream.ReadAsync(buffer) > 0)
                {
                    // As fast as they come.
                }
            }
            catch (Exception error) when (error is HttpRequestException or IOException or OperationCanceledException or ObjectDisposedException)
            {
                // The client has disconnected.
            }
        }
    }
}
