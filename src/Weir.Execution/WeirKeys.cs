using Microsoft.Extensions.Configuration;
using Weir.Execution.Configuration;
using Weir.Execution.Lanes;
using Weir.Execution.Observation;
using Weir.Execution.Pools.Options;

namespace Weir.Execution;

/// <summary>The keys of the section <c>Weir</c>.</summary>
internal static class WeirKeys
{
    /// <summary>The section's name.</summary>
    public const string Section = "Weir";

    // Read by Weir.AspNetCore, which registers it.
    private const string Server = "Server";

    private static readonly OptionKey<WeirOptions>[] Own =
    [
        new("Pools", static (weir, value) => BindPools(weir, value)),
        new("PoolDefaults", static (weir, value) => PoolKeys.All.Bind(weir.PoolDefaults, value.Section)),
        new("Lane", static (weir, value) => BindLane(weir, value)),
        new("Recording", static (weir, value) => RecordingKeys.All.Bind(weir.Recording, value.Section)),
        new("MaxWorkers", static (weir, value) => weir.MaxWorkers = value.OptionalInteger()),
        new("RunInline", static (weir, value) => weir.RunInline = value.OptionalSwitch()),
        new("DrainTimeout", static (weir, value) => weir.DrainTimeout = value.OptionalTime()),
        new("BlockingThreshold", static (weir, value) => weir.BlockingThreshold = value.OptionalTime()),
        new("StarvationThreshold", static (weir, value) => weir.StarvationThreshold = value.OptionalTime()),
    ];

    /// <summary>All keys that this project reads itself.</summary>
    public static IEnumerable<string> Names => Own.Select(static key => key.Name);

    /// <summary>Sets the options that the section contains and keeps the rest.</summary>
    /// <param name="options">The options.</param>
    /// <param name="section">The section <c>Weir</c>.</param>
    /// <param name="others">The names of the sections below it that other packages read.</param>
    /// <exception cref="InvalidOperationException">A key is not known, or its value is invalid (WEIR3002).</exception>
    public static void Bind(WeirOptions options, IConfiguration section, IEnumerable<string> others)
    {
        var keys = new OptionKeys<WeirOptions>("Weir", [.. Own, .. others.Select(static name => new OptionKey<WeirOptions>(name, static (_, _) => { }))]);
        if (!keys.Names.Contains(Server, StringComparer.OrdinalIgnoreCase)
            && section.GetChildren().FirstOrDefault(static child => child.Key.Equals(Server, StringComparison.OrdinalIgnoreCase)) is { } unread)
        {
            throw new InvalidOperationException(
                $"{unread.Path} has options of the server, and nothing reads them here: the section {Section}:{Server} is read where Weir.AspNetCore is registered. "
                + $"Reference the package Weir.AspNetCore and call AddWeir (without the generated one, AddWeirServer), leave the section out of what WeirOptions.Bind is given, or remove it. See {WeirCodes.InvalidOptions}.");
        }

        keys.Bind(options, section);
    }

    private static void BindPools(WeirOptions weir, ConfiguredValue value)
    {
        foreach (var pool in value.Sections())
        {
            PoolKeys.All.Bind(weir.Pool(pool.Key), pool);
        }
    }

    private static void BindLane(WeirOptions weir, ConfiguredValue value) => LaneKeys.All.Bind(weir.Lane, value.Section);
}
