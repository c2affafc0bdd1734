using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.LightNode.Tests.Contracts;
using Weir.LightNode.Tests.Hosting;

[assembly: AssemblyFixture(typeof(LightNodeApplication))]
[assembly: AssemblyFixture(typeof(FilteredApplication))]
[assembly: AssemblyFixture(typeof(SurroundedApplication))]
[assembly: AssemblyFixture(typeof(DescribedApplication))]

namespace Weir.LightNode.Tests.Hosting;

/// <summary>
/// The services of this project behind a real Kestrel on a free port, as an application serves them. One serves all tests that need no
/// options of their own; its only worker starts with the first isolated call.
/// </summary>
public class LightNodeApplication : IAsyncLifetime
{
    private readonly WebApplication _app;

    public LightNodeApplication()
        : this(null)
    {
    }

    /// <param name="weir">Options of Weir.</param>
    /// <param name="build">Services of the application.</param>
    /// <param name="map">What is mapped; all services at the root unless it is given.</param>
    /// <param name="environment">The name of the environment.</param>
    internal LightNodeApplication(Action<WeirOptions>? weir, Action<IServiceCollection>? build = null, Action<WebApplication>? map = null, string environment = "Production")
    {
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = environment });
        builder.Logging.ClearProviders().AddProvider(Log);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddWeir(options =>
        {
            var pool = options.Pool(Workers.Pool);
            (pool.MinWorkers, pool.MaxWorkers, pool.StartTimeout) = (0, 1, TimeSpan.FromMinutes(1));

            // One worker serves all tests, and some keep a state in it: a busy machine must not make it look as if a call ignored its cancellation.
            pool.CancelGrace = TimeSpan.FromSeconds(30);
            weir?.Invoke(options);
        });
        builder.Services.AddSingleton(new Origin("host"));
        builder.Services.AddAuthentication(nameof(HeaderAuthentication)).AddScheme<AuthenticationSchemeOptions, HeaderAuthentication>(nameof(HeaderAuthentication), null);
        builder.Services.AddAuthorization();
        builder.Services.AddResponseCompression();
        build?.Invoke(builder.Services);
        _app = builder.Build();
        _app.UseResponseCompression();
        (map ?? MapAll)(_app);
    }

    internal HttpClient Client { get; } = new(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false });

    internal Uri Address => new(_app.Urls.Single());

    internal RecordedLog Log { get; } = new();

    internal static async Task<LightNodeApplication> StartAsync(
        Action<WeirOptions>? weir = null, Action<IServiceCollection>? build = null, Action<WebApplication>? map = null, string environment = "Production")
    {
        var application = new LightNodeApplication(weir, build, map, environment);
        await application.InitializeAsync();
        return application;
    }

    public async ValueTask InitializeAsync() => await _app.StartAsync(TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    private static void MapAll(WebApplication app)
    {
        app.MapWeir();
        ClientEndpoints.Map(app);
    }
}
