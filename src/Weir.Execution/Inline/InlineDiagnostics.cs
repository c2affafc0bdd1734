using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Threading;

namespace Weir.Execution.Inline;

/// <summary>Finds inline operations of one application that block threads of the thread pool, and notices when the thread pool is starved.</summary>
internal sealed class InlineDiagnostics : IDisposable
{
    // The first response of an application is not to wait for a thread that starts.
    private const int CallsUntilStart = 2;

    private readonly TimeSpan? _blockingThreshold;
    private readonly WeirMeter _meter;
    private readonly ThreadPoolHeartbeat? _heartbeat;

    // One for each inline operation; complete when the application starts.
    private readonly List<BlockingDetector> _detectors = [];
    private int _callsUntilStart;

    private InlineDiagnostics(TimeSpan? blockingThreshold, TimeSpan? starvationThreshold, ILogger logger, WeirMeter meter, TimeProvider time)
    {
        _blockingThreshold = blockingThreshold;
        _meter = meter;
        Logger = logger;
        if (starvationThreshold is { } threshold)
        {
            _heartbeat = new ThreadPoolHeartbeat(threshold, logger, meter, time);
            _callsUntilStart = CallsUntilStart;
        }
    }

    public ILogger Logger { get; }

    /// <summary>What an application wants to know.</summary>
    /// <param name="blockingThreshold">How long an operation may block a thread; <c>null</c> finds none that does.</param>
    /// <param name="starvationThreshold">How long work may wait for a thread; <c>null</c> does not notice it.</param>
    /// <param name="logger">Receives what is found.</param>
    /// <param name="meter">Receives what is measured.</param>
    /// <param name="time">The clock.</param>
    /// <returns><c>null</c> where it wants to know nothing.</returns>
    public static InlineDiagnostics? TryCreate(TimeSpan? blockingThreshold, TimeSpan? starvationThreshold, ILogger logger, WeirMeter meter, TimeProvider time)
    {
        if (blockingThreshold is null && starvationThreshold is null)
        {
            return null;
        }

        var diagnostics = new InlineDiagnostics(blockingThreshold, starvationThreshold, logger, meter, time);
        meter.Add(diagnostics.BlockedCalls);
        return diagnostics;
    }

    /// <summary>The detector of an operation that runs inline; while the application is created.</summary>
    public BlockingDetector Detect(Operation operation)
    {
        var detector = new BlockingDetector(operation, _blockingThreshold, this);
        _detectors.Add(detector);
        return detector;
    }

    /// <summary>The thread pool now, as far as it is in trouble.</summary>
    public StarvationReading Read()
    {
        var blocked = new List<(string, long)>();
        foreach (var detector in _detectors)
        {
            if (detector.Calls.Count is > 0 and var calls)
            {
                blocked.Add((detector.Operation.FullName, calls));
            }
        }

        return (_heartbeat?.Starvation ?? StarvationReading.None) with { BlockedCalls = blocked };
    }

    /// <summary>A call begins: the second one starts the heartbeat.</summary>
    public void CallBegins()
    {
        if (_callsUntilStart > 0 && Interlocked.Decrement(ref _callsUntilStart) == 0)
        {
            // Not on the thread pool: it may be starved already. Where the kernel gives no more threads, the call runs without a heartbeat.
            Callbacks.Run(_heartbeat!, static heartbeat => heartbeat.Start(), static (_, _) => { });
        }
    }

    public void Dispose()
    {
        _heartbeat?.Dispose();
        _meter.Remove(BlockedCalls);
    }

    private IEnumerable<Measurement<long>> BlockedCalls()
    {
        foreach (var detector in _detectors)
        {
            if (detector.Calls.Count is > 0 and var blocked)
            {
                yield return new Measurement<long>(blocked, new KeyValuePair<string, object?>(WeirMeter.OperationTag, detector.Operation.FullName));
            }
        }
    }
}
