using System.Diagnostics;
using Weir.Execution.Processes;

namespace Weir.Execution.Machine;

/// <summary>A pool's limits, as one probe requests them.</summary>
internal sealed record ProbedOptions : ILimitOptions
{
    public long? MemoryLimitBytes { get; init; }

    public int? ProcessLimit { get; init; }

    public double? CpuLimit { get; init; }

    public ControlGroupUse ControlGroup { get; init; } = ControlGroupUse.Never;

    public ProcessPriorityClass Priority { get; init; } = ProcessPriorityClass.Normal;

    public IList<int>? Processors { get; init; }

    public int OomScoreAdjustment => 0;

    public bool BestEffort => false;
}
