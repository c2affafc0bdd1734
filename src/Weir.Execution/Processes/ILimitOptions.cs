using System.Diagnostics;

namespace Weir.Execution.Processes;

/// <summary>The limits of a worker that a pool's options request from a launcher. <see cref="PoolOptions"/> documents each.</summary>
internal interface ILimitOptions
{
    long? MemoryLimitBytes { get; }

    int? ProcessLimit { get; }

    double? CpuLimit { get; }

    ControlGroupUse ControlGroup { get; }

    ProcessPriorityClass Priority { get; }

    IList<int>? Processors { get; }

    int OomScoreAdjustment { get; }

    bool BestEffort { get; }
}
