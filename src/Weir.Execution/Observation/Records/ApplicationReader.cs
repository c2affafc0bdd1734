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
    private const int MostFindings = 30;
    private const int MostPools = 64;
    private const int MostOperations = 50;
    private const int MostCalls = 50;
    private const int MostReports = 20;
    private const int MinuteOfTens = 6;

    /// <summary>Reads the calls that run and wait, the longest first.</summary>
    /// <param name="most">How many at most.</param>
    /// <param name="total">How many there are.</param>
    public IReadOnlyList<RunningCallReading> ReadCalls(int most, out int total) => recorder.ReadCalls(most, out total);

    /// <summary>Reads a pool, or the lane.</summary>
    /// <returns><c>null</c> where there is none of that name.</returns>
    public PoolRow? ReadPool(string pool)
    {
        var (found, _) = findings.Read();
        return recorder.Read((pools, operations, latency, second) =>
            pools.FirstOrDefault(one => string.Equals(one.Name, pool, StringComparison.OrdinalIgnoreCase)) is { } series ? Row(series, found, operations, latency, second) : null);
    }

    /// <summary>Reads it.</summary>
    /// <param name="order">By what pools, operations and the rows of parts are ordered before they are cut.</param>
    public ApplicationReading Read(RowOrder order = RowOrder.Default)
    {
        var (found, changedAt) = findings.Read();
        var (pools, operations) = recorder.Read((pools, operations, latency, second) => (
            pools.Select(pool => Row(pool, found, operations, latency, second)).ToArray(),
            operations.Select(one => Row(one, latency, second, MinuteOfTens)).ToArray()));
        var calls = recorder.ReadCalls(MostCalls, out var total);
        return new ApplicationReading
        {
            Name = name,
            ProcessId = Environment.ProcessId,
            Now = time.GetUtcNow(),
            Began = recorder.Began,
            Findings = [.. found.Take(MostFindings)],
            FindingCount = found.Count,
            FindingsChangedAt = changedAt,
            Pools = [.. InOrder(pools, order).Take(MostPools)],
            PoolCount = pools.Length,
            Operations = [.. InOrder(operations, order).Take(MostOperations)],
            OperationCount = operations.Length,
            Calls = calls,
            CallCount = total,
            Reports = [.. workers.Reports.Summaries.Take(MostReports)],
            Parts = findings.ReadParts(order),
        };
    }

    private static IEnumerable<PoolRow> InOrder(IEnumerable<PoolRow> pools, RowOrder order) => order switch
    {
        RowOrder.Calls => pools.OrderByDescending(static pool => pool.Rate),
        RowOrder.P95 => pools.OrderByDescending(static pool => pool.P95 ?? 0).ThenByDescending(static pool => pool.Rate),
        RowOrder.Failed => pools.OrderByDescending(static pool => pool.Failed).ThenByDescending(static pool => pool.Rate),
        _ => pools.OrderBy(static pool => Order(pool.State)).ThenByDescending(static pool => pool.Rate),
    };

    private static IEnumerable<OperationRow> InOrder(IEnumerable<OperationRow> operations, RowOrder order) => order switch
    {
        RowOrder.P95 => operations.OrderByDescending(static one => one.P95 ?? 0).ThenByDescending(static one => one.Calls),
        RowOrder.Failed => operations.OrderByDescending(static one => one.Failed).ThenByDescending(static one => one.Calls),
        _ => operations.OrderByDescending(static one => one.Calls),
    };

    private static PoolRow Row(PoolSeries pool, IReadOnlyList<Finding> found, IEnumerable<OperationSeries> operations, LatencyDistribution latency, long second)
    {
        latency.Clear();
        var (minuteCalls, minuteFailed) = (0L, 0L);
        foreach (var one in operations)
        {
            if (IObservedPool.Owns(pool.Name, one.Record.Operation))
            {
                minuteFailed += one.AddLast(second, MinuteOfTens, latency);
                minuteCalls += one.CallsLast(second, MinuteOfTens);
            }
        }

        var (last, before) = (pool.Last, pool.Before);
        var failed = last.Failed - before.Failed;
        return new PoolRow(pool.Name, State(pool.Name, last, found), last, last.Succeeded - before.Succeeded + failed, failed, minuteCalls, minuteFailed, latency.Percentile(0.95));
    }

    /// <summary>What is shown of an operation. Under the recorder's lock.</summary>
    /// <param name="one">The operation.</param>
    /// <param name="latency">To work with.</param>
    /// <param name="second">The present second.</param>
    /// <param name="tens">How many intervals of ten seconds it is about.</param>
    public static OperationRow Row(OperationSeries one, LatencyDistribution latency, long second, int tens)
    {
        var failed = one.ReadLast(second, tens, latency);
        return new OperationRow(
            one.Record.Operation, one.CallsLast(second, tens), failed, latency.Percentile(0.5), latency.Percentile(0.95), latency.Percentile(0.99), latency.Percentile(1), one.Record.Sums);
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
