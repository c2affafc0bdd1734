using Weir.Execution.Observation.Findings;

namespace Weir.Execution.Observation.Records;

/// <summary>Reads what people see of an application. Any thread.</summary>
/// <param name="name">The application's name.</param>
/// <param name="recorder">What is recorded.</param>
/// <param name="findings">What is wrong.</param>
/// <param name="workers">What is kept of workers.</param>
/// <param name="time">The clock.</param>
internal sealed class ApplicationReader(string name, Recorder recorder, FindingWatch findings, WorkerObserver workers, TimeProvider time)
{
    // A record is 64 KB at most.
    private const int MostPools = 100;
    private const int MostOperations = 50;
    private const int MostCalls = 50;
    private const int MostReports = 20;
    private const int MinuteOfTens = 6;

    /// <summary>Reads it.</summary>
    public ApplicationReading Read()
    {
        var (found, changedAt) = findings.Read();
        var (pools, operations) = recorder.Read((pools, operations, latency, second) => (
            pools.Select(pool => Row(pool, found, operations, latency, second)).ToArray(),
            operations.Select(one => Row(one, latency, second)).ToArray()));
        var calls = recorder.ReadCalls(MostCalls, out var total);
        return new ApplicationReading
        {
            Name = name,
            ProcessId = Environment.ProcessId,
            Now = time.GetUtcNow(),
            Began = recorder.Began,
            Findings = found,
            FindingsChangedAt = changedAt,
            Pools = [.. pools.OrderBy(static pool => Order(pool.State)).ThenByDescending(static pool => pool.Rate).Take(MostPools)],
            PoolCount = pools.Length,
            Operations = [.. operations.OrderByDescending(static one => one.Calls).Take(MostOperations)],
            OperationCount = operations.Length,
            Calls = calls,
            CallCount = total,
            Reports = [.. workers.Reports.Summaries.Take(MostReports)],
        };
    }

    private static PoolRow Row(PoolSeries pool, IReadOnlyList<Finding> found, IEnumerable<OperationSeries> operations, LatencyDistribution latency, long second)
    {
        latency.Clear();
        foreach (var one in operations)
        {
            if (IObservedPool.Owns(pool.Name, one.Record.Operation))
            {
                one.AddLast(second, MinuteOfTens, latency);
            }
        }

        var (last, before) = (pool.Last, pool.Before);
        var failed = last.Failed - before.Failed;
        return new PoolRow(pool.Name, State(pool.Name, last, found), last, last.Succeeded - before.Succeeded + failed, failed, latency.Percentile(0.95));
    }

    private static OperationRow Row(OperationSeries one, LatencyDistribution latency, long second)
    {
        var failed = one.ReadLast(second, MinuteOfTens, latency);
        return new OperationRow(
            one.Record.Operation, one.CallsLast(second, MinuteOfTens), failed, latency.Percentile(0.5), latency.Percentile(0.95), latency.Percentile(0.99), latency.Percentile(1), one.Record.Sums);
    }

    private static string State(string pool, PoolReading reading, IReadOnlyList<Finding> found)
    {
        var worst = FindingSeverity.Notice;
        foreach (var one in found)
        {
            worst = one.Severity < worst && string.Equals(one.Pool, pool, StringComparison.OrdinalIgnoreCase) ? one.Severity : worst;
        }

        return worst switch
        {
            FindingSeverity.Failing => "failing",
            FindingSeverity.Waiting => "waiting",
            _ => reading.IsDraining ? "draining" : reading.IsPaused ? "paused" : reading.Busy + reading.Queued > 0 ? "busy" : "idle",
        };
    }

    private static int Order(string state) => state switch { "failing" => 0, "waiting" => 1, "draining" or "paused" => 2, "busy" => 3, _ => 4 };
}
