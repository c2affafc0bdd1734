using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Pools;
using Weir.ReportLibrary;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>The services of a library that references Weir.Abstractions alone, in real workers.</summary>
public sealed class WorkerServicesTests
{
    // None of these belongs into a worker that needs no services. Abstractions of dependency injection are loaded by every call that is not precompiled.
    private static readonly string[] Optional =
    [
        "Microsoft.Extensions.Configuration.Abstractions.dll", "Microsoft.Extensions.Configuration.dll", "Microsoft.Extensions.DependencyInjection.dll",
        "Microsoft.Extensions.DependencyInjection.Abstractions.dll", "System.Linq.dll",
        "Microsoft.Extensions.Logging.Abstractions.dll", "Microsoft.Extensions.Logging.dll", "Microsoft.Extensions.Options.dll",
    ];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_worker_has_the_hosts_configuration_options_and_log()
    {
        var log = new RecordedLog();
        var host = new ConfigurationBuilder().AddInMemoryCollection([new("Reports:Language", "French"), new("Printer", "the host's")]).Build();
        await using (var pool = Start(host, static options => options.Configuration["printer"] = "the pool's", log))
        {
            Assert.Equal("sales in French on the pool's", await pool.GetProxy<IReportsClient>().Build("sales", Token));
        }

        var record = Assert.Single(log.Records, static record => record.Category == typeof(Reports).FullName);
        Assert.Equal(LogLevel.Information, record.Level);
        Assert.Contains("building sales", record.Text, StringComparison.Ordinal);
        Assert.Contains("Reports/Build", record.Text, StringComparison.Ordinal);
        Assert.Equal("building {Report}", record.Fields["{OriginalFormat}"]);
        Assert.Equal(("sales", "Reports/Build"), (record.Fields["Report"], record.Fields["Operation"]));
        var scope = Assert.Single(record.Scopes);
        Assert.Equal("for 7", $"{scope}");
        Assert.Contains(new("Reader", 7L), Assert.IsType<IEnumerable<KeyValuePair<string, object?>>>(scope, exactMatch: false));
    }

    [Fact]
    public async Task A_worker_inherits_the_named_sections_and_keeps_what_it_had_at_its_start()
    {
        var host = new ConfigurationBuilder().AddInMemoryCollection([new("Reports:Language", "French"), new("Secrets:Key", "x")]).Build();
        await using var pool = Start(host, static options => options.InheritedConfiguration = ["Reports"]);
        var reports = pool.GetProxy<IReportsClient>();
        Assert.Equal("French", await reports.Setting("Reports:Language", Token));
        Assert.Null(await reports.Setting("Secrets:Key", Token));
        host["Reports:Language"] = "Finnish";
        Assert.Equal("French", await reports.Setting("Reports:Language", Token));

        await pool.ReloadAsync(cancellationToken: Token);
        Assert.Equal("Finnish", await reports.Setting("Reports:Language", Token));
    }

    [Fact]
    public void A_configuration_that_is_too_large_stops_the_application_with_the_next_step()
    {
        var host = new ConfigurationBuilder().AddInMemoryCollection([new("Text", new string('x', 1_000_000))]).Build();
        var failure = Assert.Throws<InvalidOperationException>(() => Start(host));
        Assert.StartsWith("Pool 'reports' cannot be started. The configuration that its workers inherit is 1000012 bytes", failure.Message, StringComparison.Ordinal);
        Assert.EndsWith($"See {WeirCodes.ConfigurationTooLarge}.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_without_services_loads_nothing_for_them()
    {
        await using var plain = FreshPool.Start("sizes", static options => options.MaxWorkers = 1);
        await plain.WaitUntilReadyAsync(Token);
        Assert.Empty(Loaded(plain));

        await using var pool = Start(new ConfigurationBuilder().Build());
        await pool.WaitUntilReadyAsync(Token);
        Assert.Contains("Microsoft.Extensions.DependencyInjection.dll", Loaded(pool));
    }

    /// <summary>It would do so beside the first call, which would wait for it.</summary>
    [Fact]
    public async Task The_container_of_a_worker_compiles_no_code()
    {
        await using var pool = Start(new ConfigurationBuilder().Build());
        Assert.True(await pool.GetProxy<IReportsClient>().IsSwitchedOn("Microsoft.Extensions.DependencyInjection.DisableDynamicEngine", Token));
    }

    private static WorkerPool Start(IConfiguration host, Action<PoolOptions>? configure = null, RecordedLog? log = null)
    {
        var options = new PoolOptions { MaxWorkers = 1 };
        configure?.Invoke(options);
        return WorkerPool.Start("reports", FreshPool.Catalogs, options, log, configuration: host);
    }

    private static IEnumerable<string> Loaded(WorkerPool pool) =>
        File.ReadLines($"/proc/{pool.Snapshot().Workers.Single().ProcessId}/maps")
            .Select(static line => line[(line.LastIndexOf('/') + 1)..])
            .Intersect(Optional);
}
