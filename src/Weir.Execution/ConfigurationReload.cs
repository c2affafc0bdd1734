using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;
using Weir.Execution.Diagnostics;
using Weir.Execution.Pools;

namespace Weir.Execution;

/// <summary>
/// Applies a changed section <c>Weir</c> of the configuration to the running pools: their size changes, and the log names what needs a
/// restart. Code that set an option when the application started wins again. Changes are applied one after the other.
/// </summary>
internal sealed class ConfigurationReload : IDisposable
{
    private readonly IConfigurationSection _section;
    private readonly HashSet<string> _names;
    private readonly IReadOnlyCollection<WorkerPool> _pools;
    private readonly ILogger _logger;
    private readonly SemaphoreSlim _turn = new(1);
    private readonly IDisposable _registration;

    // Of the start: a reload does not change it.
    private readonly int? _maxWorkers;

    // What was applied last. While _turn is taken.
    private Dictionary<string, string?> _values;
    private WeirOptions _options;

    private ConfigurationReload(IConfiguration configuration, WeirOptions options, HashSet<string> names, IReadOnlyCollection<WorkerPool> pools, ILogger logger)
    {
        _section = configuration.GetSection(WeirKeys.Section);
        _options = options;
        _maxWorkers = options.MaxWorkers;
        _names = names;
        _pools = pools;
        _logger = logger;
        _values = Values();
        _registration = ChangeToken.OnChange(configuration.GetReloadToken, () => Applied = ApplyAsync());
    }

    /// <summary>Completes when the last change is applied, or was logged because it cannot be.</summary>
    public Task Applied { get; private set; } = Task.CompletedTask;

    /// <summary>Follows the configuration from which the options were read.</summary>
    /// <param name="configuration">The whole configuration of the application.</param>
    /// <param name="options">As they were when the application started.</param>
    /// <param name="names">The names of all pools that operations name.</param>
    /// <param name="pools">Those that run.</param>
    /// <param name="logger">Receives what cannot be applied.</param>
    /// <returns><c>null</c> for options that were not read from the configuration.</returns>
    public static ConfigurationReload? TryStart(IConfiguration? configuration, WeirOptions options, HashSet<string> names, IReadOnlyCollection<WorkerPool> pools, ILogger logger) =>
        configuration is null || options.Reread is null ? null : new ConfigurationReload(configuration, options, names, pools, logger);

    public void Dispose() => _registration.Dispose();

    // Called by a provider of the configuration: throws nothing.
    private async Task ApplyAsync()
    {
        await _turn.WaitAsync();
        try
        {
            await ApplyInTurnAsync();
        }
        catch (Exception failure)
        {
            PoolLog.ConfigurationNotValid(_logger, failure.Message);
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task ApplyInTurnAsync()
    {
        // 1. Many changes concern other sections, and one change of a file may be reported twice.
        var values = Values();
        var changed = values.Keys.Union(_values.Keys, StringComparer.OrdinalIgnoreCase).Where(key => Read(values, key) != Read(_values, key)).Order(StringComparer.OrdinalIgnoreCase).ToArray();
        if (changed.Length == 0)
        {
            return;
        }

        // 2. The options as the application would read them now.
        var options = _options.Reread!();
        options.RequirePools(_names);
        foreach (var pool in _pools)
        {
            options.OptionsOf(pool.Name).Merged().Validate(pool.Name);
        }

        var minimum = _pools.Sum(pool => (long)options.OptionsOf(pool.Name).MinWorkers);
        if (minimum > _maxWorkers)
        {
            throw new InvalidOperationException(
                $"The MinWorkers of all pools together are {minimum}, and {WeirKeys.Section}:MaxWorkers was {_maxWorkers} when the application started; lower a MinWorkers, or restart with a higher MaxWorkers. See {WeirCodes.InvalidOptions}.");
        }

        // 3. Only what the configuration changed: code may have resized a pool since.
        foreach (var pool in _pools)
        {
            var (before, now) = (_options.OptionsOf(pool.Name), options.OptionsOf(pool.Name));
            if (Changes(before, now))
            {
                await pool.ResizeAsync(size => Change(size, before, now));
            }
        }

        // 4. The rest needs a restart. Values may be secrets: only keys are named.
        if (changed.Where(static key => !IsSize(key)).ToArray() is { Length: > 0 } others)
        {
            PoolLog.RestartNeeded(_logger, string.Join(", ", others));
        }

        (_values, _options) = (values, options);
    }

    private Dictionary<string, string?> Values()
    {
        var values = new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase) { [_section.Path] = _section.Value };
        AddLeaves(_section, values);
        return values;
    }

    // A null is a value too: it removes a limit. A section has no value of its own, but keys below it.
    private static void AddLeaves(IConfigurationSection section, Dictionary<string, string?> values)
    {
        foreach (var child in section.GetChildren())
        {
            var before = values.Count;
            AddLeaves(child, values);
            if (child.Value is not null || values.Count == before)
            {
                values[child.Path] = child.Value;
            }
        }
    }

    private static (bool IsSet, string? Value) Read(Dictionary<string, string?> values, string key) => (values.TryGetValue(key, out var value), value);

    private static bool Changes(PoolOptions before, PoolOptions now) =>
        (before.MinWorkers, before.MaxWorkers, before.QueueLimit, before.IdleTimeout) != (now.MinWorkers, now.MaxWorkers, now.QueueLimit, now.IdleTimeout);

    private static void Change(PoolOptions size, PoolOptions before, PoolOptions now)
    {
        size.MinWorkers = before.MinWorkers == now.MinWorkers ? size.MinWorkers : now.MinWorkers;
        size.MaxWorkers = before.MaxWorkers == now.MaxWorkers ? size.MaxWorkers : now.MaxWorkers;
        size.QueueLimit = before.QueueLimit == now.QueueLimit ? size.QueueLimit : now.QueueLimit;
        size.IdleTimeout = before.IdleTimeout == now.IdleTimeout ? size.IdleTimeout : now.IdleTimeout;
    }

    // Weir:Pools:NAME:MaxWorkers, or Weir:PoolDefaults:MaxWorkers.
    private static bool IsSize(string key) => key.Split(':') switch
    {
        [_, var section, _, var option] => IsSize(section, "Pools", option),
        [_, var section, var option] => IsSize(section, "PoolDefaults", option),
        _ => false,
    };

    private static bool IsSize(string section, string expected, string option) =>
        section.Equals(expected, StringComparison.OrdinalIgnoreCase) && PoolReload.SizeNames.Contains(option, StringComparer.OrdinalIgnoreCase);
}
