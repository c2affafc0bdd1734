using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>What the kernel holds for a reader that stands still, and whose sockets Weir touches.</summary>
public sealed class UnsentLimitTests
{
    private const int Tcp = 6;
    private const int NotSentLowWaterMark = 25;
    private const int Most = 200 * 1024;

    private const int Counted = 100_000;

    // All have as many digits.
    private const int FirstNumber = 1_000_000_000;

    private static int _given;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_connection_that_serves_no_stream_has_the_systems_own_settings()
    {
        await using var host = await StartAsync();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var client = new TcpClient();
        await client.ConnectAsync((IPEndPoint)listener.LocalEndpoint, Cancel);
        using var accepted = await listener.AcceptSocketAsync(Cancel);
        Assert.Equal($"{accepted.SendBufferSize} {Unsent(accepted)}", await host.Client.GetStringAsync("/plain", Cancel));
    }

    [Theory]
    [InlineData(64 * 1024, false)]
    [InlineData(8 * 1024, false)]
    [InlineData(null, false)]
    [InlineData(64 * 1024, true)]
    public async Task A_stream_sets_the_limit_of_the_options_on_its_connection_and_leaves_the_send_buffer_alone(int? limit, bool http2)
    {
        await using var host = await StartAsync(limit);
        var client = http2 ? host.Client2 : host.Client;
        var before = (await client.GetStringAsync("/plain", Cancel)).Split(' ');
        Assert.Equal("0\n", await client.GetStringAsync("/Probe/One.ndjson", Cancel));

        // The same connection: it is kept alive.
        var after = (await client.GetStringAsync("/plain", Cancel)).Split(' ');
        Assert.Equal(limit?.ToString(CultureInfo.InvariantCulture) ?? before[1], after[1]);
        Assert.Equal(before[0], after[0]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reader_that_stands_still_has_little_in_its_send_queue(bool tls)
    {
        await using var host = await StartAsync();
        using var client = new TcpClient { NoDelay = true };
        var port = tls ? host.Tls!.Port : host.Http1.Port;
        await client.ConnectAsync(IPAddress.Loopback, port, Cancel);
        Stream stream = client.GetStream();
        if (tls)
        {
            var secure = new SslStream(stream, leaveInnerStreamOpen: true, static (_, certificate, _, _) => certificate?.Subject == "CN=localhost");
            await secure.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = "localhost" }, Cancel);
            stream = secure;
        }

        await stream.WriteAsync(Encoding.ASCII.GetBytes("GET /Probe/Endless.ndjson HTTP/1.1\r\nHost: x\r\n\r\n"), Cancel);

        // The queue of a stream that fills the kernel's buffers grows for a while; then it stands.
        var own = ((IPEndPoint)client.Client.LocalEndPoint!).Port;
        long last = -1, queue = 0;
        var same = 0;
        Assert.True(await ProcFiles.EventuallyAsync(
            () =>
            {
                queue = SendQueue(port, own);
                same = queue > 0 && queue == last ? same + 1 : 0;
                last = queue;
                return same > 50;
            },
            TimeSpan.FromSeconds(30)));
        Assert.InRange(queue, 1, Most);
    }

    // The lab measures how much the server holds while the reader reads nothing: that depends on how soon its transport sends.
    [Theory]
    [InlineData("Counted")]
    [InlineData("CountedBlocking")]
    public async Task A_stream_whose_reader_stands_still_stops_and_continues_with_it(string operation)
    {
        _given = 0;
        await using var host = await StartAsync();
        using var client = new TcpClient { NoDelay = true, ReceiveBufferSize = 4096 };
        await client.ConnectAsync(IPAddress.Loopback, host.Http1.Port, Cancel);
        var stream = client.GetStream();
        await stream.WriteAsync(Encoding.ASCII.GetBytes($"GET /Probe/{operation}.ndjson HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), Cancel);

        // 1. It stands.
        var last = await StandsStillAsync();
        Assert.InRange(last, 1, Counted - 1);

        // 2. It reads: all the rest comes.
        var answer = await new ResponseReader(new BufferedStream(stream)).ReadAsync(isHead: false, Cancel);
        Assert.Equal(Numbers().Select(static number => number.ToString(CultureInfo.InvariantCulture)), answer.Body.TrimEnd('\n').Split('\n'));
    }

    [Fact]
    public async Task A_stream_that_is_cut_while_its_reader_stands_still_ends_with_the_cause()
    {
        _given = 0;
        using var cut = new CancellationTokenSource();
        await using var host = await StartAsync(cut: cut.Token);
        using var client = new TcpClient { NoDelay = true, ReceiveBufferSize = 4096 };
        await client.ConnectAsync(IPAddress.Loopback, host.Http1.Port, Cancel);
        var stream = client.GetStream();
        await stream.WriteAsync("GET /Probe/Counted HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson; weir=1\r\nConnection: close\r\n\r\n"u8.ToArray(), Cancel);
        await StandsStillAsync();
        await cut.CancelAsync();

        using var response = new MemoryStream();
        try
        {
            await stream.CopyToAsync(response, Cancel);
        }
        catch (IOException)
        {
            // A cut stream is broken off behind its last line.
        }

        var text = Encoding.UTF8.GetString(response.ToArray());
        Assert.Contains("{\"$weir\":{\"problem\":{\"type\":\"urn:weir:problem:WEIR2013\"", text, StringComparison.Ordinal);
        Assert.DoesNotContain("\"ok\":true", text, StringComparison.Ordinal);
    }

    private static async Task<int> StandsStillAsync()
    {
        var last = -1;
        var same = 0;
        Assert.True(await ProcFiles.EventuallyAsync(
            () =>
            {
                var given = Volatile.Read(ref _given);
                same = given > 0 && given == last ? same + 1 : 0;
                last = given;
                return same > 50;
            },
            TimeSpan.FromSeconds(30)));
        return last;
    }

    private static Task<WeirHost> StartAsync(int? limit = 64 * 1024, CancellationToken cut = default) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs =
        [
            new ProbeCatalog(
                Probe.Stream("One", static (_, _) => AsyncEnumerable.Range(0, 1)),
                Probe.Stream("Endless", static (_, context) => Endless(context.CancellationToken)),
                Probe.Stream("Counted", static (_, _) => Numbers().ToAsyncEnumerable()),
                Probe.Stream("CountedBlocking", static (_, _) => Numbers(), placement: Placement.Lane)),
        ],
        Options = options => options.StreamUnsentLimit = limit,
        Before = app => app.Use((http, next) => WithinAsync(http, next, cut)),
        Services = static builder => builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.UseHttps(Certificate()))),
        After = static (app, _) => app.MapGet("/plain", static (HttpContext http) =>
        {
            var socket = http.Features.Get<IConnectionSocketFeature>()!.Socket;
            return $"{socket.SendBufferSize} {Unsent(socket)}";
        }),
    });

    private static async Task WithinAsync(HttpContext http, RequestDelegate next, CancellationToken cut)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(http.RequestAborted, cut);
        http.RequestAborted = both.Token;
        await next(http);
    }

    private static int Unsent(Socket socket)
    {
        Span<byte> value = stackalloc byte[sizeof(int)];
        socket.GetRawSocketOption(Tcp, NotSentLowWaterMark, value);
        return BitConverter.ToInt32(value);
    }

    private static IEnumerable<int> Numbers()
    {
        for (var i = 0; i < Counted; i++)
        {
            Volatile.Write(ref _given, i + 1);
            yield return FirstNumber + i;
        }
    }

    private static async IAsyncEnumerable<int> Endless([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await Task.Yield();
        for (var i = 0; !cancellationToken.IsCancellationRequested; i++)
        {
            yield return i;
        }
    }

    // Of the server's end of a connection: what the client has not acknowledged, sent or not.
    private static long SendQueue(int server, int client)
    {
        foreach (var line in File.ReadLines("/proc/net/tcp").Skip(1))
        {
            var fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (PortOf(fields[1]) == server && PortOf(fields[2]) == client)
            {
                return long.Parse(fields[4].AsSpan(0, 8), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            }
        }

        return -1;
    }

    private static int PortOf(string address) => int.Parse(address.AsSpan(address.IndexOf(':') + 1), NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private static X509Certificate2 Certificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        using var certificate = request.CreateSelfSigned(TimeProvider.System.GetUtcNow().AddDays(-1), TimeProvider.System.GetUtcNow().AddDays(1));
        return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null);
    }
}
