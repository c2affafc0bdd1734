namespace Weir.Execution.Observation;

/// <summary>How much memory a worker holds of what it may hold. Of several limits, the one that it is nearest to.</summary>
/// <param name="ProcessId">The worker.</param>
/// <param name="Bytes">What it holds, in bytes, as its limit counts.</param>
/// <param name="LimitBytes">The limit, in bytes, as it was read back when the worker started.</param>
internal readonly record struct WorkerMemory(int ProcessId, long Bytes, long LimitBytes)
{
    /// <summary>Which part of the limit it holds; 1 at the limit.</summary>
    public double Share => (double)Bytes / LimitBytes;
}
