using System.Net;
using System.Security.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Weir.Lab.Contenders.Hosting;

namespace Weir.Load.Tests;

/// <summary>Load tests over TLS, against Kestrel with a certificate that is not trusted.</summary>
public sealed class TlsTests : IAsyncLifetime
{
    private readonly System.Security.Cryptography.X509Certificates.X509Certificate2 _certificate = Certificate.Create();
    private readonly WebApplication _app;
    private int _requests;

    public TlsTests()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
        {
            listen.Protocols = HttpProtocols.Http1AndHttp2;
            listen.UseHttps(_certificate);
        }));
        _app = builder.Build();
        _app.Run(AnswerAsync);
    }

    public static TheoryData<string> Versions => ["1.1", "2.0"];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private Uri Address => new(_app.Urls.Single());

    public async ValueTask InitializeAsync() => await _app.StartAsync(Token);

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync();
        _certificate.Dispose();
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_closed_load_goes_over_TLS(string version)
    {
        var report = await RunAsync(new LoadOptions { Address = Address, HttpVersion = new Version(version), AcceptsAnyCertificate = true, Connections = 4, Requests = 200 });
        Assert.Equal((200, 0), (report.Requests, report.Errors));
        Assert.Equal((200, 200), (report.ServiceTime.Count, Volatile.Read(ref _requests)));

        // The answer names the protocol that the server saw.
        Assert.Equal(200 * (version == "2.0" ? "HTTP/2 https" : "HTTP/1.1 https").Length, report.BytesReceived);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task An_open_load_goes_over_TLS(string version)
    {
        var report = await RunAsync(new LoadOptions { Address = Address, HttpVersion = new Version(version), AcceptsAnyCertificate = true, Connections = 4, Rate = 200, Requests = 50 });
        Assert.Equal((50, 0), (report.Requests, report.Errors));
        Assert.Equal((50, 50), (report.Lateness.Count, report.ConnectionWait.Count));
        Assert.True(report.ResponseTime.Max >= report.ServiceTime.Max);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_stream_is_read_item_by_item_over_TLS(string version)
    {
        var report = await RunAsync(new LoadOptions { Address = new Uri(Address, "/items"), HttpVersion = new Version(version), AcceptsAnyCertificate = true, Connections = 2, Requests = 4, IsStream = true });
        Assert.Equal((4, 0, 20), (report.Requests, report.Errors, report.Items));
        Assert.Equal((4, 16), (report.FirstByte!.Value.Count, report.ItemGap!.Value.Count));
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_certificate_that_is_not_trusted_ends_a_test_before_a_request_and_the_message_names_the_option(string version)
    {
        foreach (var rate in (double?[])[null, 100])
        {
            var options = new LoadOptions { Address = Address, HttpVersion = new Version(version), Rate = rate };
            var failure = await Assert.ThrowsAsync<HttpRequestException>(() => RunAsync(options));
            Assert.Equal(HttpRequestError.SecureConnectionError, failure.HttpRequestError);
            Assert.IsAssignableFrom<AuthenticationException>(failure.InnerException);
            Assert.Equal($"127.0.0.1:{Address.Port}: the certificate of the server is not trusted (UntrustedRoot); if that is expected, set AcceptsAnyCertificate.", failure.Message);
        }

        Assert.Equal(0, Volatile.Read(ref _requests));
    }

    [Fact]
    public async Task A_certificate_of_another_host_says_so()
    {
        var address = new UriBuilder(Address) { Host = "localhost" }.Uri;
        var failure = await Assert.ThrowsAsync<HttpRequestException>(() => RunAsync(new LoadOptions { Address = address }));
        Assert.Contains("not trusted (it is of another host, UntrustedRoot)", failure.Message, StringComparison.Ordinal);
        failure = await Assert.ThrowsAsync<HttpRequestException>(() => RunAsync(new LoadOptions { Address = Address, Headers = [new("Host", "example.com:444")] }));
        Assert.Contains("not trusted (it is of another host, UntrustedRoot)", failure.Message, StringComparison.Ordinal);
        Assert.Equal((3, 0), ((await RunAsync(new LoadOptions { Address = address, AcceptsAnyCertificate = true, Connections = 1, Requests = 3 })) is var report ? (report.Requests, report.Errors) : default));
    }

    [Fact]
    public async Task A_server_without_TLS_is_an_exception_that_asks_for_it()
    {
        await using var server = ScriptedServer.Answering(ScriptedServer.Ok);
        var address = new UriBuilder(server.Address) { Scheme = "https" }.Uri;
        var failure = await Assert.ThrowsAsync<HttpRequestException>(() => RunAsync(new LoadOptions { Address = address }));
        Assert.Contains("TLS failed: ", failure.Message, StringComparison.Ordinal);
        Assert.Contains("Does the server expect TLS on this port?", failure.Message, StringComparison.Ordinal);

        await using var silent = new ScriptedServer(static (_, _) => Task.CompletedTask);
        address = new UriBuilder(silent.Address) { Scheme = "https" }.Uri;
        failure = await Assert.ThrowsAsync<HttpRequestException>(() => RunAsync(new LoadOptions { Address = address, Timeout = TimeSpan.FromMilliseconds(100) }));
        Assert.Contains("no TLS within 0.1 s", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_load_over_TLS_that_is_stopped_reports_what_ended_until_then()
    {
        using var stopping = new CancellationTokenSource();
        var run = LoadTest.RunAsync(new LoadOptions { Address = new Uri(Address, "/tenth-waits"), AcceptsAnyCertificate = true, Connections = 1, Duration = TimeSpan.FromMinutes(5) }, null, stopping.Token, Token);
        await Loads.UntilAsync(() => Volatile.Read(ref _requests) >= 10);

        await stopping.CancelAsync();
        var report = await run;
        Assert.Equal((9, 0, 1, true), (report.Requests, report.Errors, report.Unfinished, report.IsStopped));
    }

    private static Task<LoadReport> RunAsync(LoadOptions options) => LoadTest.RunAsync(options, cancellationToken: Token);

    private async Task AnswerAsync(HttpContext http)
    {
        var number = Interlocked.Increment(ref _requests);
        if (http.Request.Path == "/tenth-waits" && number == 10)
        {
            await Task.Delay(Timeout.Infinite, http.RequestAborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return;
        }

        if (http.Request.Path == "/items")
        {
            http.Response.ContentType = "application/x-ndjson";
            for (var i = 0; i < 5; i++)
            {
                await http.Response.WriteAsync("{}\n", http.RequestAborted);
                await http.Response.Body.FlushAsync(http.RequestAborted);
            }

            return;
        }

        await http.Response.WriteAsync($"{http.Request.Protocol} {http.Request.Scheme}", http.RequestAborted);
    }
}
