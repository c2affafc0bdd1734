using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>Malformed requests. None of them may cause an error of the server, or disturb another request.</summary>
[Collection(nameof(RunningShowcase))]
public sealed class FuzzTests(RunningShowcase showcase)
{
    private const int Connections = 4;
    private const double Seconds = 60;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(20261121)]
    public async Task A_strange_request_has_its_own_answer_and_the_next_one_too(int seed)
    {
        await Task.WhenAll(Enumerable.Range(0, Connections).Select(number => Task.Run(() => AskAsync(seed + number), Cancel))).WithinAsync(Seconds);
        Assert.DoesNotContain("unhandled exception", showcase.Process.Output, StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData(2)]
    public async Task What_is_no_request_hurts_no_other_request(int seed)
    {
        await Task.WhenAll(Enumerable.Range(0, Connections).Select(number => Task.Run(() => BreakAsync(seed + number), Cancel))).WithinAsync(Seconds);
        Assert.Equal("Hello, world", await showcase.Client.GetStringAsync("/Hello/World", Cancel));
        Assert.DoesNotContain("unhandled exception", showcase.Process.Output, StringComparison.OrdinalIgnoreCase);
    }

    // Pipelined: a strange request, and behind it one whose answer shows whether the two were kept apart.
    private async Task AskAsync(int seed)
    {
        var requests = new MutatedRequests(seed);
        TcpClient? client = null;
        for (var i = 0; i < 400; i++)
        {
            client ??= await ConnectAsync();
            var (verb, bytes) = requests.Next();
            var canary = string.Create(CultureInfo.InvariantCulture, $"canary-{seed}-{i}");
            await client.GetStream().WriteAsync((byte[])[.. bytes, .. Encoding.ASCII.GetBytes($"GET /Perf/Echo?name={canary}&x=1&y=1&e=Apple HTTP/1.1\r\nHost: x\r\n\r\n")], Cancel);
            var reader = new ResponseReader(client.GetStream());
            var about = $"seed {seed}, request {i}: {Encoding.UTF8.GetString(bytes)}";
            var answer = await reader.ReadAsync(verb == "HEAD", Cancel);
            Assert.True(answer is { Status: >= 200 and < 500 } || (answer.Status == 500 && about.Contains("/Weather/Fail", StringComparison.Ordinal)), $"{answer.Status} {answer.Body}\n{about}");
            Assert.DoesNotContain("X-Injected", answer.Head, StringComparison.Ordinal);
            if (answer.Head.Contains("Connection: close", StringComparison.OrdinalIgnoreCase))
            {
                // What Kestrel itself refuses (a target that is none) costs the connection, and what was sent behind.
                Assert.True(answer.Status == 400, $"{answer.Head}\n{about}");
                client.Dispose();
                client = null;
                continue;
            }

            var next = await reader.ReadAsync(isHead: false, Cancel);
            Assert.True(next.Status == 200 && next.Body == $"{{\"name\":\"{canary}\",\"sum\":2}}", $"{next.Head}{next.Body}\n{about}");
        }

        client?.Dispose();
    }

    private async Task BreakAsync(int seed)
    {
        var requests = new MutatedRequests(seed);
        for (var i = 0; i < 150; i++)
        {
            using var client = await ConnectAsync();
            var bytes = requests.NextBroken();
            var stream = client.GetStream();
            using var received = new MemoryStream();
            try
            {
                await stream.WriteAsync(bytes, Cancel);
                client.Client.Shutdown(SocketShutdown.Send);
                await stream.CopyToAsync(received, Cancel);
            }
            catch (Exception error) when (error is IOException or SocketException)
            {
                // A reset is an answer too.
            }

            var text = Encoding.UTF8.GetString(received.ToArray());
            foreach (var status in text.Split('\n').Where(static line => line.StartsWith("HTTP/1.1 ", StringComparison.Ordinal)).Select(static line => line.Substring(9, 3)))
            {
                // 501 and 505 are Kestrel's for a transfer coding and a version it does not know.
                Assert.True(status[0] != '5' || status is "501" or "505" || text.Contains("WEIR2007", StringComparison.Ordinal), $"{text}\nseed {seed}, request {i}: {Encoding.UTF8.GetString(bytes)}");
            }
        }
    }

    private async Task<TcpClient> ConnectAsync()
    {
        var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync(IPAddress.Loopback, showcase.Process.Address.Port, Cancel);
        return client;
    }
}
