using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>
/// Mutated requests against every kind of operation. None may be the server's failure, none may hang, and a healthy request behind
/// each is answered: on the same connection where the framing survived, on a new one otherwise.
/// </summary>
[Collection(nameof(Alone))]
public sealed class HostileRequestTests
{
    private const int Connections = 4;

    // Of one answer; far more than any takes. A request that hangs names itself.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private static IEnumerable<Operation> Probes =>
    [
        Probe.Result("Echo", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")]),
        Probe.Result("Add", ResultKind.Value, static (a, _) => unchecked((int)a["x"]! + (int)a["y"]!), [Probe.Int("x"), Probe.Int("y")]),
        Probe.Result("Store", ResultKind.Text, static (a, _) => $"{a["order"]} {a["n"]}", [Probe.Body("order"), Probe.Int("n")], Verbs.Post),
        Probe.Result("Size", ResultKind.Value, static (a, _) => ((ReadOnlyMemory<byte>)a["data"]!).Length, [Probe.Raw("data")], Verbs.Post),
        Probe.Result("Lane", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")], placement: Placement.Lane),
        Probe.Result("Nothing", ResultKind.None, static (_, _) => null),
        Probe.Stream("Numbers", static (_, _) => AsyncEnumerable.Range(1, 3)),
        Probe.Stream("Blocking", static (_, _) => Enumerable.Range(1, 3), placement: Placement.Lane),
        Probe.Result("Sum", ResultKind.Value, static (a, _) => SumAsync((IAsyncEnumerable<int>)a["numbers"]!), [Probe.Items("numbers")], Verbs.Post),
        Probe.Stream("Double", static (a, _) => ((IAsyncEnumerable<int>)a["numbers"]!).Select(static number => unchecked(2 * number)), [Probe.Items("numbers")]),
    ];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(20261123, false)]
    [InlineData(20261123, true)]
    public Task Four_thousand_mutated_requests_do_no_harm(int seed, bool isolated) => RunAsync(seed, isolated, wellFramed: 2_800, broken: 1_200);

    [Theory]
    [InlineData(1, false)]
    [InlineData(1, true)]
    [Trait("Kind", "Long")]
    public Task A_hundred_thousand_mutated_requests_do_no_harm(int seed, bool isolated) => RunAsync(seed, isolated, wellFramed: 60_000, broken: 40_000);

    private static async Task RunAsync(int seed, bool isolated, int wellFramed, int broken)
    {
        await using var host = await StartAsync(isolated);
        await Task.WhenAll(Enumerable.Range(0, Connections).Select(number => Task.Run(
            async () =>
            {
                await AskAsync(host, seed + number, isolated, wellFramed / Connections);
                await BreakAsync(host, seed + number, isolated, broken / Connections);
            },
            Cancel)));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning && !IsOfAnUnreadTrailer(line));
    }

    // Kestrel reads the trailers of a body that nothing has read after the response, and has no answer to this exception of its own.
    private static bool IsOfAnUnreadTrailer(RecordedLog.Line line) =>
        line is { Category: "Microsoft.AspNetCore.Server.Kestrel", Event: 67, Error: InvalidOperationException error }
        && error.StackTrace!.Contains("TakeMessageHeaders(SequenceReader`1& reader, Boolean trailers)", StringComparison.Ordinal);

    // Pipelined: a strange request, and behind it one whose answer shows whether the two were kept apart.
    private static async Task AskAsync(WeirHost host, int seed, bool isolated, int count)
    {
        var requests = new HostileRequests(seed, isolated);
        TcpClient? client = null;
        ResponseReader? reader = null;
        for (var i = 0; i < count; i++)
        {
            if (client is null)
            {
                client = await ConnectAsync(host);
                reader = new ResponseReader(new BufferedStream(client.GetStream()));
            }

            var (verb, bytes) = requests.Next();
            var about = About(seed, i, bytes);
            try
            {
                if (!await AskAsync(client, reader!, verb, bytes, isolated, $"healthy-{seed}-{i}", about).WaitAsync(Patience, Cancel))
                {
                    client.Dispose();
                    client = null;
                    await CheckHealthAsync(host, isolated, about);
                }
            }
            catch (IOException) when (reader!.HasBegun && MayBeCut(about))
            {
                // Items that were sent cannot be taken back: the stream is cut, and the client can see it.
                client?.Dispose();
                client = null;
                await CheckHealthAsync(host, isolated, about);
            }
            catch (Exception error) when (error is TimeoutException or IOException)
            {
                Assert.Fail($"{error.Message} {about}");
            }
        }

        client?.Dispose();
    }

    // An item behind them does not read, or a deadline passes that an idle machine keeps.
    private static bool MayBeCut(string about) => about.Contains("/Double", StringComparison.Ordinal) || about.Contains("Weir-Deadline-Ms: 5\r", StringComparison.Ordinal);

    // Whether the connection can still be used.
    private static async Task<bool> AskAsync(TcpClient client, ResponseReader reader, string verb, byte[] bytes, bool isolated, string canary, string about)
    {
        await client.GetStream().WriteAsync((byte[])[.. bytes, .. Healthy(canary, isolated)], Cancel);
        var answer = await reader.ReadAsync(verb == "HEAD", Cancel);

        Check(answer.Status.ToString(CultureInfo.InvariantCulture), answer.Head + answer.Body, about);
        if (answer.Head.Contains("Connection: close", StringComparison.OrdinalIgnoreCase))
        {
            Assert.True(answer.Status is >= 400 and < 500, $"{answer.Head} {about}");
            return false;
        }

        var next = await reader.ReadAsync(isHead: false, Cancel);
        Assert.True(next.Status == 200 && next.Body == canary, $"{next.Head}{next.Body} {about}");
        return true;
    }

    private static async Task BreakAsync(WeirHost host, int seed, bool isolated, int count)
    {
        var requests = new HostileRequests(~seed, isolated);
        for (var i = 0; i < count; i++)
        {
            var bytes = requests.NextBroken();
            var about = About(~seed, i, bytes);
            using var client = await ConnectAsync(host);
            string text;
            try
            {
                text = await ExchangeAsync(client, [.. bytes, .. Healthy($"behind-{i}", isolated)]).WaitAsync(Patience, Cancel);
            }
            catch (TimeoutException error)
            {
                Assert.Fail($"{error.Message} {about}");
                return;
            }

            foreach (var status in text.Split('\n').Where(static line => line.StartsWith("HTTP/1.1 ", StringComparison.Ordinal)).Select(static line => line.Substring(9, 3)))
            {
                Check(status, text, about);
            }

            if (!text.Contains($"\r\n\r\nbehind-{i}", StringComparison.Ordinal))
            {
                await CheckHealthAsync(host, isolated, about);
            }
        }
    }

    private static async Task<string> ExchangeAsync(TcpClient client, byte[] bytes)
    {
        using var received = new MemoryStream();
        try
        {
            var stream = client.GetStream();
            await stream.WriteAsync(bytes, Cancel);
            client.Client.Shutdown(SocketShutdown.Send);
            await stream.CopyToAsync(received, Cancel);
        }
        catch (Exception error) when (error is IOException or SocketException)
        {
            // A reset is an answer too.
        }

        return Encoding.UTF8.GetString(received.ToArray());
    }

    private static async Task CheckHealthAsync(WeirHost host, bool isolated, string about)
    {
        using var client = await ConnectAsync(host);
        await client.GetStream().WriteAsync(Healthy("after", isolated), Cancel);
        var answer = await new ResponseReader(new BufferedStream(client.GetStream())).ReadAsync(isHead: false, Cancel).WaitAsync(Patience, Cancel);
        Assert.True(answer.Status == 200 && answer.Body == "after", $"{answer.Head}{answer.Body} {about}");
    }

    // 503 and 504 are a full queue's and a deadline's; 505 is Kestrel's for a version that it does not know.
    private static void Check(string status, string text, string about) =>
        Assert.True(status is not ("500" or "501" or "502"), $"{text} {about}");

    private static byte[] Healthy(string canary, bool isolated) => Encoding.ASCII.GetBytes(
        $"POST {(isolated ? "/ComplianceInline/Echo.txt?text=" : "/Probe/Echo.txt?x=")}{canary} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");

    private static string About(int seed, int number, byte[] bytes) => $"(seed {seed}, request {number}: {Convert.ToHexString(bytes)} {Encoding.UTF8.GetString(bytes)})";

    private static async Task<TcpClient> ConnectAsync(WeirHost host)
    {
        var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync(IPAddress.Loopback, host.Http1.Port, Cancel);
        return client;
    }

    private static Task<WeirHost> StartAsync(bool isolated) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = isolated ? Generated.ApplicationCatalog.Catalogs : [new ProbeCatalog([.. Probes])],
        Services = static builder => builder.Logging.SetMinimumLevel(LogLevel.Warning),
        Weir = options =>
        {
            if (!isolated)
            {
                return;
            }

            TestPools.StartOnDemand(options, static pool => pool.QueueLimit = 100);
        },
    });

    private static async Task<object?> SumAsync(IAsyncEnumerable<int> numbers)
    {
        var sum = 0;
        await foreach (var number in numbers)
        {
            sum = unchecked(sum + number);
        }

        return sum;
    }
}
