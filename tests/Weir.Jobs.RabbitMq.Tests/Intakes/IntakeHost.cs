using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.Jobs.RabbitMq.Tests.Broker;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

/// <summary>An application whose jobs come from a queue, with SQLite in a file of its own.</summary>
internal sealed class IntakeHost : IAsyncDisposable
{
    private readonly IHost _host;
    private readonly DirectoryInfo? _folder;

    private IntakeHost(IHost host, DirectoryInfo? folder, StoreGate gate, LogLines log) => (_host, _folder, Gate, Log) = (host, folder, gate, log);

    public StoreGate Gate { get; }

    public LogLines Log { get; }

    public Ledger Ledger => _host.Services.GetRequiredService<Ledger>();

    public IJobs Jobs => _host.Services.GetRequiredService<IJobs>();

    public IServiceProvider Services => _host.Services;

    public static async Task<IntakeHost> StartAsync(
        Action<RabbitMqIntakeOptions> intake, Action<WeirJobsOptions>? jobs = null, StoreGate? gate = null, string? file = null, Action<IServiceCollection>? services = null, Ledger? ledger = null)
    {
        gate ??= new StoreGate();
        var folder = file is null ? Directory.CreateTempSubdirectory("weir-jobs-") : null;
        var log = new LogLines();
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddSingleton(ledger ?? new Ledger());
        builder.Services.AddSingleton(TimeProvider.System);
        builder.Services.AddWeir();

        // Nothing runs unless a test asks for it: what is stored is looked at.
        builder.Services.AddWeirJobsRabbitMq(intake);
        builder.Services.AddWeirJobs(options =>
        {
            options.Run = false;
            options.UseSqlite(file ?? Path.Combine(folder!.FullName, "jobs.db"));
            var open = options.Store!;
            options.Store = provider => new GatedStore(open(provider), gate);
            jobs?.Invoke(options);
        });
        builder.Services.AddHealthChecks().AddWeirJobsRabbitMq();
        builder.Logging.AddProvider(log);
        services?.Invoke(builder.Services);
        var host = new IntakeHost(builder.Build(), folder, gate, log);
        try
        {
            await host._host.StartAsync(TestContext.Current.CancellationToken);
            return host;
        }
        catch
        {
            await host.DisposeAsync();
            throw;
        }
    }

    /// <summary>How many jobs are stored, in any state.</summary>
    public async Task<int> CountAsync() => (await Jobs.ListAsync(new JobQuery { Limit = 1_000 }, TestContext.Current.CancellationToken)).Count;

    /// <summary>Waits until so many jobs are stored.</summary>
    public Task WhenStoredAsync(int count) => Until.TrueAsync(async () => await CountAsync() >= count);

    public async Task<HealthReportEntry> HealthAsync() =>
        (await _host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken)).Entries["weir-jobs-rabbitmq"];

    /// <summary>Waits until the health check says something.</summary>
    public async Task WhenDegradedAsync(string part)
    {
        var last = "";
        for (var attempt = 0; !last.Contains(part, StringComparison.Ordinal); attempt++)
        {
            Assert.True(attempt < 600, $"The health check says: {last}");
            await Task.Delay(50, TestContext.Current.CancellationToken);
            var health = await HealthAsync();
            last = $"{health.Status}: {health.Description}";
        }

        Assert.StartsWith("Degraded", last, StringComparison.Ordinal);
    }

    public Task WhenHealthyAsync() => Until.TrueAsync(async () => (await HealthAsync()).Status == HealthStatus.Healthy);

    public Task StopAsync() => _host.StopAsync(CancellationToken.None);

    public async ValueTask DisposeAsync()
    {
        Gate.Open();
        await _host.StopAsync(CancellationToken.None);
        await ((IAsyncDisposable)_host).DisposeAsync();
        _folder?.Delete(recursive: true);
    }
}
