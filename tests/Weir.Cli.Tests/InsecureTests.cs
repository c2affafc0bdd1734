using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Weir.Lab.Contenders.Hosting;

namespace Weir.Cli.Tests;

/// <summary>A server whose certificate is not trusted.</summary>
public sealed class InsecureTests : IAsyncLifetime
{
    private readonly System.Security.Cryptography.X509Certificates.X509Certificate2 _certificate = Certificate.Create();
    private readonly WebApplication _app;
    private int _requests;

    public InsecureTests()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.UseHttps(_certificate)));
        _app = builder.Build();
        _app.Run(http =>
        {
            Interlocked.Increment(ref _requests);
            return http.Response.WriteAsync("secret", http.RequestAborted);
        });
    }

    private string Address => $"{_app.Urls.Single()}/";

    public async ValueTask InitializeAsync() => await _app.StartAsync(TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync();
        _certificate.Dispose();
    }

    [Fact]
    public async Task A_load_test_of_it_is_a_wrong_input_that_names_the_option()
    {
        var cli = new CliProcess();
        Assert.Equal(2, await cli.RunAsync("load", Address, "-n", "5"));
        Assert.Equal($"weir: {Address} cannot be reached: {new Uri(Address).Authority}: the certificate of the server is not trusted (UntrustedRoot); if that is expected, give --insecure.\n", cli.Error);
        Assert.Equal(0, _requests);
    }

    [Theory]
    [InlineData("1.1")]
    [InlineData("2")]
    public async Task With_the_option_a_load_test_measures_it(string version)
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("load", Address, "-n", "20", "-c", "2", "--insecure", "--http", version, "--json", "--assert", "errors=0"));
        Assert.Equal(20, Assert.Single(cli.Lines).GetProperty("requests").GetInt64());
        Assert.Equal(20, _requests);
    }

    [Fact]
    public async Task A_fetch_of_it_fails_and_names_the_option()
    {
        var cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync("fetch", Address));
        var error = Assert.Single(cli.Lines).GetProperty("error").GetString();
        Assert.EndsWith("The certificate of the server is not trusted (RemoteCertificateChainErrors); if that is expected, give --insecure.", error, StringComparison.Ordinal);
        Assert.Equal(0, _requests);
    }

    [Fact]
    public async Task With_the_option_it_is_fetched()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("fetch", Address, "--insecure"));
        Assert.Equal("secret".Length, Assert.Single(cli.Lines).GetProperty("bytes").GetInt64());
    }
}
