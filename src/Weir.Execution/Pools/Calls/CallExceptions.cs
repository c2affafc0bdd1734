using System.Runtime.ExceptionServices;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>The exceptions that callers of a pool get when a call does not succeed.</summary>
/// <param name="definition">The pool.</param>
internal sealed class CallExceptions(PoolDefinition definition)
{
    /// <summary>The exception for a decision of the pool.</summary>
    /// <param name="decision">One of <see cref="PoolAction.IsOutcome"/>.</param>
    /// <param name="operation">The call's operation.</param>
    /// <param name="worker">The worker that had the call, where one had it.</param>
    /// <param name="cause">What happened to that worker.</param>
    /// <param name="start">Why the last worker that failed to start did.</param>
    public Exception Of(PoolActionKind decision, Operation operation, IPoolWorker? worker, string cause, FailedStart? start) => decision switch
    {
        PoolActionKind.RejectFull => Full(),
        PoolActionKind.RejectBusy => Busy(),
        PoolActionKind.RejectDraining => Draining(),
        PoolActionKind.RejectQuarantined => Quarantined(operation),
        PoolActionKind.FailStart => start!.ToException(definition.Name),
        PoolActionKind.FailLost => Lost(operation, worker!.ProcessId, cause, worker.ReportId),
        PoolActionKind.FailUnstarted => Unstarted(operation, worker!.ProcessId, cause, worker.ReportId),
        PoolActionKind.FailViolation => Violation(operation, worker!.ProcessId, cause),
        _ => throw new ArgumentOutOfRangeException(nameof(decision), decision, "This decision is no outcome of a call."),
    };

    public CallRejectedException Full() => new(
        WeirCodes.QueueFull,
        $"Pool '{definition.Name}' has {definition.Options.QueueLimit} calls waiting for its {definition.Options.MaxWorkers} workers; raise QueueLimit (currently {definition.Options.QueueLimit}) or MaxWorkers (currently {definition.Options.MaxWorkers}), or try again. See {WeirCodes.QueueFull}.",
        TimeSpan.FromSeconds(1));

    /// <summary>The caller wanted no place in the queue.</summary>
    public CallRejectedException Busy() => new(
        WeirCodes.QueueFull,
        $"Every worker of pool '{definition.Name}' runs a call, and the caller asked for a free one (Admission is Free): try again later, raise MaxWorkers (currently {definition.Options.MaxWorkers}), or let the call wait in the queue. See {WeirCodes.QueueFull}.",
        TimeSpan.FromSeconds(1));

    public CallRejectedException Draining() => new(
        WeirCodes.Draining, $"Pool '{definition.Name}' is draining and accepts no more calls; send the call to another host. See {WeirCodes.Draining}.");

    public WorkerLostException Lost(Operation operation, int processId, string cause, string? reportId = null) => new(
        WeirCodes.WorkerLost,
        $"The worker {processId} of pool '{definition.Name}' ended while it ran {operation}: {cause}. Whether the call had effects is unknown. See {WeirCodes.WorkerLost}.",
        definition.Name,
        processId,
        cause,
        reportId);

    /// <summary>It never ran, so it had no effects.</summary>
    public WorkerLostException Unstarted(Operation operation, int processId, string cause, string? reportId = null) => new(
        WeirCodes.WorkerLost,
        $"{WorkerFailure.MostMoves} workers of pool '{definition.Name}' ended before they had started {operation}; the last one was worker {processId}: {cause}. The call did not run. See {WeirCodes.WorkerLost}.",
        definition.Name,
        processId,
        cause,
        reportId)
    {
        MayHaveRun = false,
    };

    /// <summary>It was rejected without an attempt.</summary>
    public WorkerLostException Quarantined(Operation operation) => new(
        WeirCodes.WorkerLost,
        $"Calls of {operation} with these arguments made {definition.Settings.QuarantineKills} workers of pool '{definition.Name}' or more fail (QuarantineKills). Such calls are rejected until {definition.Settings.QuarantineTime} after the last failure (QuarantineTime). The call did not run. See {WeirCodes.WorkerLost}.",
        definition.Name,
        0,
        "calls with these arguments are in quarantine")
    {
        MayHaveRun = false,
        QuarantinedFor = definition.Settings.QuarantineTime,
    };

    public ProtocolViolationException Violation(Operation operation, int processId, string message) => new(
        $"The worker {processId} of pool '{definition.Name}' broke the protocol while it ran {operation}: {message}. It was ended. See {WeirCodes.ProtocolViolation}.");

    public ReaderStalledException Stalled(Operation operation) => new(
        $"The caller read no item of {operation} for {definition.Options.StallTimeout} (StallTimeout); the stream was ended to free its worker. Read faster, or raise StallTimeout of pool '{definition.Name}'. See {WeirCodes.ReaderStalled}.");

    public PayloadTooLargeException ArgumentsTooLarge(Operation operation, long length) => new(
        CallStatus.BadRequest,
        $"The arguments of {operation} take {length} bytes; PayloadLimitBytes of pool '{definition.Name}' is {definition.Options.PayloadLimitBytes}. {PayloadStep("Send less, or let the operation take them as items (a parameter IAsyncEnumerable<T>)")}. See {WeirCodes.PayloadTooLarge}.");

    public PayloadTooLargeException ItemTooLarge(Operation operation, long index, long length) => new(
        CallStatus.BadRequest,
        $"{operation.ItemsParameter!.Name}[{index}] of {operation} takes {length} bytes; PayloadLimitBytes of pool '{definition.Name}' is {definition.Options.PayloadLimitBytes}. {PayloadStep("Send smaller items")}. See {WeirCodes.PayloadTooLarge}.");

    /// <summary>Whether the operation declared what it threw: <see cref="Of(ErrorPayload, Operation, int, string)"/> then runs the user's constructor.</summary>
    public static bool IsDeclared(ErrorPayload error, Operation operation) =>
        error.Kind == ErrorKind.HandlerFailed && operation.Throws.Any(declared => declared.TypeName == error.TypeName);

    /// <summary>The exception for an ERROR of a worker.</summary>
    /// <param name="error">The ERROR.</param>
    /// <param name="operation">The operation that ran.</param>
    /// <param name="processId">The worker's process id.</param>
    /// <param name="reportId">The id of the worker's crash report, in case the worker exits after this ERROR.</param>
    public Exception Of(ErrorPayload error, Operation operation, int processId, string reportId) => error.Kind switch
    {
        ErrorKind.HandlerFailed => Thrown(error, operation, processId),
        ErrorKind.OperationStatus => new OperationStatusException(error.Status, error.HasContent ? error.Message : null, Headers(error)),
        ErrorKind.BadArguments => new BindingException(error.BindingErrors),
        ErrorKind.Cancelled => new RemoteException(
            typeof(OperationCanceledException).FullName!, $"{operation} reported that it was cancelled, but the call was not cancelled.", null, definition.Name, processId),
        ErrorKind.DeadlineExceeded => new DeadlineExceededException(
            $"{operation} did not end within its deadline, by the clock of its worker. See {WeirCodes.DeadlineExceeded}."),
        ErrorKind.OutOfMemory => Lost(operation, processId, MemoryCause(), reportId),
        _ => new PayloadTooLargeException(
            CallStatus.HandlerFailed,
            $"The result of {operation} takes {error.Length} bytes; the limit is {error.Limit}; PayloadLimitBytes of pool '{definition.Name}' is {definition.Options.PayloadLimitBytes}. {PayloadStep("Return it as items (IAsyncEnumerable<T>)")}. See {WeirCodes.PayloadTooLarge}."),
    };

    private string PayloadStep(string step) => definition.Options.PayloadLimitBytes < FrameReader.DefaultMostPayload
        ? $"{step}, or raise it to at most {FrameReader.DefaultMostPayload}"
        : $"{step}; one payload can have at most {FrameReader.DefaultMostPayload} bytes";

    // A declared exception is created in its own type, as if the operation had run here; any other becomes one that names its origin.
    private Exception Thrown(ErrorPayload error, Operation operation, int processId)
    {
        foreach (var declared in operation.Throws)
        {
            if (declared.TypeName == error.TypeName && TryCreate(declared, error, processId) is { } exception)
            {
                return exception;
            }
        }

        return new RemoteException(error.TypeName, error.Message, error.Stack, definition.Name, processId);
    }

    // The user's constructor. One that throws must not keep the call from its outcome.
    private Exception? TryCreate(DeclaredException declared, ErrorPayload error, int processId)
    {
        try
        {
            return ExceptionDispatchInfo.SetRemoteStackTrace(declared.Create(error.Message), $"{error.Stack}\n   --- worker {processId} of pool {definition.Name} ---");
        }
        catch (Exception)
        {
            return null;
        }
    }

    // A header that occurs twice becomes one with both values, as in HTTP.
    private static Dictionary<string, string>? Headers(ErrorPayload error)
    {
        if (error.Headers.Count == 0)
        {
            return null;
        }

        var headers = new Dictionary<string, string>(error.Headers.Count, StringComparer.OrdinalIgnoreCase);
        foreach (var (name, value) in error.Headers)
        {
            headers[name] = headers.TryGetValue(name, out var before) ? $"{before}, {value}" : value;
        }

        return headers;
    }

    private string MemoryCause() => definition.Options.MemoryLimitBytes is { } limit
        ? $"out of memory, MemoryLimitBytes is {limit}{(definition.Options.IsMemoryLimitSet ? "" : ", derived from the memory limit of the host")}"
        : "out of memory";
}
