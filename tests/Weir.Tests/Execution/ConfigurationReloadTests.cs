using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution;
using Weir.Execution.Pools.Definition;
using Weir.Tests.Processes;

namespace Weir.Tests.Execution;

public sealed class ConfigurationReloadTests : IAsyncDisposable
{
    private const int Before = 4;

    private readonly RecordedLog _log = new();
    private readonly WorkerPool _pool;

    public ConfigurationReloadTests()
    {
        _pool = new WorkerPool(
            new PoolDefinition
            {
                Name = "test",
                Options = new PoolOptions { MinWorkers = 0, MaxWorkers = Before },
                Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
                Launcher = new ManualLauncher { Refusal = new InvalidOperationException("This test starts no workers.") },
                Operations = [],
                Loggers = NullLoggerFactory.Instance,
                Time = new ManualTime(),
            },
            []);
        _pool.Open();
    }

    public async ValueTask DisposeAsync() => await _pool.DrainAsync(new CancellationToken(canceled: true));

    [Fact]
    public async Task A_minimum_is_compared_with_the_maximum_of_the_start_after_any_number_of_changes()
    {
        var configuration = Configuration(("Weir:MaxWorkers", "2"), ("Weir:Pools:test:MinWorkers", "0"));
        using var reload = Follow(configuration);

        await ChangeAsync(configuration, reload, ("Weir:MaxWorkers", "100"));
        Assert.Contains("Weir:MaxWorkers", Assert.Single(_log.Lines), StringComparison.Ordinal);

        await ChangeAsync(configuration, reload, ("Weir:Pools:test:MinWorkers", "3"), ("Weir:Pools:test:MaxWorkers", "3"));
        Assert.Contains("The MinWorkers of all pools together are 3, and Weir:MaxWorkers was 2 when the application started", _log.Lines[^1], StringComparison.Ordinal);
        Assert.Equal(0, _pool.Snapshot().MinWorkers);
    }

    [Fact]
    public async Task A_misspelled_name_of_a_pool_is_reported_and_nothing_is_applied()
    {
        var configuration = Configuration(("Weir:Pools:test:MaxWorkers", "5"));
        using var reload = Follow(configuration);

        await ChangeAsync(configuration, reload, ("Weir:Pools:tset:MaxWorkers", "9"), ("Weir:Pools:test:MaxWorkers", "7"));
        Assert.Contains("Pool 'tset' has options, but no operation runs in it; the pools are: other, test.", Assert.Single(_log.Lines), StringComparison.Ordinal);
        Assert.Equal(Before, _pool.Snapshot().MaxWorkers);
    }

    [Fact]
    public async Task Options_of_a_pool_that_does_not_run_are_no_error_where_operations_name_it()
    {
        var configuration = Configuration(("Weir:Pools:test:MaxWorkers", "5"));
        using var reload = Follow(configuration);

        await ChangeAsync(configuration, reload, ("Weir:Pools:other:MaxWorkers", "9"), ("Weir:Pools:test:MaxWorkers", "7"));
        Assert.Empty(_log.Lines);
        Assert.Equal(7, _pool.Snapshot().MaxWorkers);
    }

    [Fact]
    public async Task A_null_that_is_added_removes_a_limit()
    {
        var configuration = Configuration(("Weir:Pools:test:MaxWorkers", "5"));
        using var reload = Follow(configuration);
        Assert.NotNull(await IdleTimeoutAsync());

        await ChangeAsync(configuration, reload, ("Weir:Pools:test:IdleTimeout", null));
        Assert.Null(await IdleTimeoutAsync());
        Assert.Empty(_log.Lines);

        await ChangeAsync(configuration, reload, ("Weir:DrainTimeout", null));
        Assert.Contains("Weir:DrainTimeout", Assert.Single(_log.Lines), StringComparison.Ordinal);
    }

    private static IConfigurationRoot Configuration(params (string Key, string? Value)[] values) =>
        new ConfigurationBuilder().AddInMemoryCollection(values.ToDictionary(static one => one.Key, static one => one.Value)).Build();

    private ConfigurationReload Follow(IConfiguration configuration) =>
        ConfigurationReload.TryStart(configuration, WeirOptions.Create(configuration, []), new(["test", "other"], StringComparer.OrdinalIgnoreCase), [_pool], _log)!;

    private static Task ChangeAsync(IConfigurationRoot configuration, ConfigurationReload reload, params (string Key, string? Value)[] values)
    {
        foreach (var (key, value) in values)
        {
            configuration[key] = value;
        }

        configuration.Reload();
        return reload.Applied;
    }

    private async Task<TimeSpan?> IdleTimeoutAsync()
    {
        TimeSpan? timeout = null;
        await _pool.ResizeAsync(size => timeout = size.IdleTimeout);
        return timeout;
    }

    private sealed class RecordedLog : ILogger
    {
        public List<string> Lines { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => Lines.Add(formatter(state, exception));
    }
}
