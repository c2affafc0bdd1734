using System.Diagnostics;
using Microsoft.Extensions.Configuration;
using Weir.Execution.Configuration;

namespace Weir.Execution.Pools.Options;

/// <summary>The keys of the section of one pool.</summary>
internal static class PoolKeys
{
    private static readonly ProcessPriorityClass[] Priorities =
        [ProcessPriorityClass.Idle, ProcessPriorityClass.BelowNormal, ProcessPriorityClass.Normal, ProcessPriorityClass.AboveNormal, ProcessPriorityClass.High];

    private static readonly ControlGroupUse[] ControlGroupUses = [ControlGroupUse.WhereDelegated, ControlGroupUse.Always, ControlGroupUse.Never];

    private static readonly OptionKeys<DumpOptions> Dumps = new(
        "the dumps of a pool",
        new("Folder", static (dumps, value) => dumps.Folder = value.OptionalText() ?? ""),
        new("MaxCount", static (dumps, value) => dumps.MaxCount = value.Integer()),
        new("MaxBytes", static (dumps, value) => dumps.MaxBytes = value.OptionalBytes() ?? throw value.Unfit("write a whole number of bytes")));

    public static OptionKeys<PoolOptions> All { get; } = new(
        "a pool",
        new("MinWorkers", static (pool, value) => pool.MinWorkers = value.Integer()),
        new("MaxWorkers", static (pool, value) => pool.MaxWorkers = value.Integer()),
        new("QueueLimit", static (pool, value) => pool.QueueLimit = value.Integer()),
        new("StandbyWorkers", static (pool, value) => pool.StandbyWorkers = value.Integer()),
        new("IdleTimeout", static (pool, value) => pool.IdleTimeout = value.OptionalTime()),
        new("CancelGrace", static (pool, value) => pool.CancelGrace = value.Time()),
        new("StartTimeout", static (pool, value) => pool.StartTimeout = value.Time()),
        new("RestartBudget", static (pool, value) => pool.RestartBudget = value.Integer()),
        new("Concurrency", static (pool, value) => pool.Concurrency = value.Integer()),
        new("WarmUp", static (pool, value) => pool.WarmUp = value.Switch()),
        new("MaxCallsPerWorker", static (pool, value) => pool.MaxCallsPerWorker = value.OptionalCount()),
        new("MaxWorkerAge", static (pool, value) => pool.MaxWorkerAge = value.OptionalTime()),
        new("MemorySoftLimitBytes", static (pool, value) => pool.MemorySoftLimitBytes = value.OptionalBytes()),
        new("MaxRetries", static (pool, value) => pool.MaxRetries = value.Integer()),
        new("QuarantineKills", static (pool, value) => pool.QuarantineKills = value.Integer()),
        new("QuarantineTime", static (pool, value) => pool.QuarantineTime = value.Time()),
        new("SilenceTimeout", static (pool, value) => pool.SilenceTimeout = value.OptionalTime()),
        new("MemoryLimitBytes", static (pool, value) => pool.MemoryLimitBytes = value.OptionalBytes()),
        new("Priority", static (pool, value) => pool.Priority = value.OneOf(Priorities)),
        new("Processors", static (pool, value) => pool.Processors = value.Processors()),
        new("ControlGroup", static (pool, value) => pool.ControlGroup = value.OneOf(ControlGroupUses)),
        new("ProcessLimit", static (pool, value) => pool.ProcessLimit = value.OptionalInteger()),
        new("CpuLimit", static (pool, value) => pool.CpuLimit = value.OptionalNumber()),
        new("OomScoreAdjustment", static (pool, value) => pool.OomScoreAdjustment = value.Integer()),
        new("InheritedVariables", static (pool, value) => pool.InheritedVariables = value.OptionalList()),
        new("InheritedConfiguration", static (pool, value) => pool.InheritedConfiguration = value.OptionalList()),
        new("EnvironmentVariables", static (pool, value) => Add(pool.EnvironmentVariables, value)),
        new("WorkingDirectory", static (pool, value) => pool.WorkingDirectory = value.OptionalText()),
        new("BestEffort", static (pool, value) => pool.BestEffort = value.Switch()),
        new("PayloadLimitBytes", static (pool, value) => pool.PayloadLimitBytes = value.Integer()),
        new("StallTimeout", static (pool, value) => pool.StallTimeout = value.OptionalTime()),
        new("Dumps", static (pool, value) => pool.Dumps = value.IsNone ? null : Bound(pool.Dumps?.Copy() ?? new DumpOptions(), value)),
        new("SendsCaller", static (pool, value) => pool.SendsCaller = value.Switch()),
        new("Command", static (pool, value) => pool.Command = value.OptionalList()),
        new("Configuration", static (pool, value) => Add(pool.Configuration, value)),
        new("SharedData", static (pool, value) => AddSharedData(pool, value)));

    private static DumpOptions Bound(DumpOptions dumps, ConfiguredValue value)
    {
        Dumps.Bind(dumps, (IConfigurationSection)value.Section);
        return dumps;
    }

    private static void Add(IDictionary<string, string> target, ConfiguredValue value)
    {
        foreach (var (key, text) in value.Pairs())
        {
            target[key] = text;
        }
    }

    private static void AddSharedData(PoolOptions pool, ConfiguredValue value)
    {
        foreach (var (name, path) in value.Pairs())
        {
            if (path.Length == 0 || path.Contains('\0', StringComparison.Ordinal))
            {
                throw new InvalidOperationException($"{value.Key}:{name} is '{path}'; write the path of a file. See {WeirCodes.InvalidOptions}.");
            }

            pool.AddSharedData(name, path);
        }
    }
}
