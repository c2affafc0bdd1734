using System.Diagnostics;

namespace Weir.Execution.Processes;

/// <summary>What a pool's options ask of a launcher: the limits of a worker. <see cref="PoolOptions"/> says what each means.</summary>
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
