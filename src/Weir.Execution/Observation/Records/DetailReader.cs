using System.Globalization;
using Weir.Execution.Machine;

namespace Weir.Execution.Observation.Records;

/// <summary>Reads what people see of one operation, one pool, or the host. Any thread.</summary>
/// <param name="application">Reads the application.</param>
/// <param name="recorder">What is recorded.</param>
/// <param name="workers">What is kept of workers.</param>
/// <param name="operations">All operations of the application.</param>
/// <param name="findPool">Finds a pool by its name.</param>
/// <param name="time">The clock.</param>
internal sealed class DetailReader(
    ApplicationReader application, Recorder recorder, WorkerObserver workers, IReadOnlyList<Operation> operations, Func<string, WorkerPool?> findPool, TimeProvider time)
{
    private const int MinuteOfTens = 6;
    private const int FiveOfTens = 30;

    /// <summary>All operations, those too that were never called, by name.</summary>
    public IReadOnlyList<OperationRow> ReadOperations() => recorder.Read((_, called, latency, second) =>
    {
        var series = called.ToDictionary(static one => one.Record.Operation);
        return operations
            .Select(operation => series.TryGetValue(operation, out var one) ? ApplicationReader.Row(one, latency, second, MinuteOfTens) : NeverCalled(operation))
            .OrderBy(static row => row.Operation.FullName, StringComparer.OrdinalIgnoreCase)
            .ToArray();
    });

    /// <summary>One operation.</summary>
    /// <param name="name">Its full name.</param>
    /// <returns><c>null</c> where there is none of that name.</returns>
    public OperationDetail? ReadOperation(string name)
    {
        if (operations.FirstOrDefault(one => string.Equals(one.FullName, name, StringComparison.OrdinalIgnoreCase)) is not { } operation)
        {
            return null;
        }

        return recorder.Read((_, called, latency, second) =>
        {
            if (called.FirstOrDefault(one => one.Record.Operation == operation) is not { } series)
            {
                return new OperationDetail(NeverCalled(operation), NeverCalled(operation), [], [], []);
            }

            var record = series.Record;
            return new OperationDetail(
                ApplicationReader.Row(series, latency, second, MinuteOfTens),
                ApplicationReader.Row(series, latency, second, FiveOfTens),
                [.. Enum.GetValues<CallStatus>().Select(status => (status, record.Failures(status))).Where(static one => one.Item2 > 0)],
                record.Kept.Slowest(time.GetUtcNow()),
                record.Kept.Failed());
        });
    }

    /// <summary>One pool, or the lane.</summary>
    /// <param name="name">Its name.</param>
    /// <returns><c>null</c> where there is none of that name.</returns>
    public PoolDetail? ReadPool(string name)
    {
        if (application.ReadPool(name) is not { } row)
        {
            return null;
        }

        var events = workers.Timeline.Read(0, out _).Where(one => one.Pool == row.Name).ToArray();
        if (findPool(name) is not { } pool)
        {
            return new PoolDetail(row, null, [], [], events);
        }

        var started = new Dictionary<long, WorkerEvent>();
        foreach (var one in events.Where(static one => one.Kind == WorkerEventKind.Started))
        {
            started[one.Serial] = one;
        }

        var snapshot = pool.Snapshot();
        var calls = recorder.ReadCalls(int.MaxValue, out _).Where(call => IObservedPool.Owns(row.Name, call.Operation)).ToLookup(static call => call.ProcessId);
        return new PoolDetail(
            row,
            snapshot,
            [.. snapshot.Workers.Select(worker => new WorkerDetail(worker, started.TryGetValue(worker.Serial, out var one) ? one : null, ProcessMemory.Read(worker.ProcessId), [.. calls[worker.ProcessId]]))],
            Options(pool.CurrentOptions),
            events);
    }

    /// <summary>The process of the application.</summary>
    public HostDetail ReadHost()
    {
        var memory = GC.GetGCMemoryInfo();
        return new HostDetail(
            Environment.ProcessorCount, Environment.WorkingSet, memory.HeapSizeBytes, memory.PauseTimePercentage, ThreadPool.ThreadCount, ThreadPool.PendingWorkItemCount, application.ReadPool(IObservedPool.LaneName))
        {
            Sockets = SocketCounts.Read(),
            Resources = MachineProbe.Resources(),
        };
    }

    private static OperationRow NeverCalled(Operation operation) => new(operation, 0, 0, null, null, null, null, default);

    private static (string Name, string Value)[] Options(PoolOptions options) =>
    [
        (nameof(options.MinWorkers), Text(options.MinWorkers)),
        (nameof(options.MaxWorkers), Text(options.MaxWorkers)),
        (nameof(options.QueueLimit), Text(options.QueueLimit)),
        (nameof(options.IdleTimeout), Text(options.IdleTimeout)),
        (nameof(options.StandbyWorkers), Text(options.StandbyWorkers)),
        (nameof(options.Concurrency), Text(options.Concurrency)),
        (nameof(options.StartTimeout), Text(options.StartTimeout)),
        (nameof(options.RestartBudget), Text(options.RestartBudget)),
        (nameof(options.CancelGrace), Text(options.CancelGrace)),
        (nameof(options.SilenceTimeout), Text(options.SilenceTimeout)),
        (nameof(options.MaxRetries), Text(options.MaxRetries)),
        (nameof(options.QuarantineKills), Text(options.QuarantineKills)),
        (nameof(options.QuarantineTime), Text(options.QuarantineTime)),
        (nameof(options.MaxCallsPerWorker), Text(options.MaxCallsPerWorker)),
        (nameof(options.MaxWorkerAge), Text(options.MaxWorkerAge)),
        (nameof(options.MemorySoftLimitBytes), Text(options.MemorySoftLimitBytes)),
        (nameof(options.MemoryLimitBytes), Text(options.MemoryLimitBytes)),
        (nameof(options.CpuLimit), Text(options.CpuLimit)),
        (nameof(options.ProcessLimit), Text(options.ProcessLimit)),
        (nameof(options.Priority), Text(options.Priority)),
        (nameof(options.BestEffort), Text(options.BestEffort)),
    ];

    private static string Text(object? value) => value switch
    {
        null => "no limit",
        TimeSpan time => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s"),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };
}
