using System.IO.Pipelines;
using Weir.Execution.Diagnostics;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Runtime;

namespace Weir.Execution.Pools;

/// <summary>Runs calls in the workers of one pool. Arguments and results are copied. Used concurrently.</summary>
internal sealed class PoolExecutor(PoolDefinition definition, PoolCore core, PoolReports reports) : IExecutor, IPoolCallOwner, IGroupExecutor<PoolCall>
{
    // The most calls that enter the pool while its lock is held once.
    private const int MostAtOnce = 64;

    // The most bytes of encoded arguments that a call keeps while it waits for a place. Raw bytes do not count: they are not copied.
    private const int MostKeptWaiting = 1024;

    // Each may keep 64 KB for arguments: fewer than the calls of a lane, which keep none.
    private readonly ObjectPool<PoolCall> _kept = new(mostQueued: 256);

    // What is known of the time each operation takes; the entries under the pool's lock.
    private readonly Dictionary<Operation, OperationTime> _times = definition.Operations.ToDictionary(static operation => operation, static _ => new OperationTime());

    // Read for every stream, so not looked up in the options. A reload does not change it.
    private readonly TimeSpan? _stallTimeout = definition.Options.StallTimeout;

    public PoolCore Core => core;

    public PoolReports Reports => reports;

    public TimeProvider Time { get; } = definition.Time;

    // Read for every call. A reload does not change it.
    public int PayloadLimit { get; } = definition.Options.PayloadLimitBytes;

    // The same.
    public bool SendsCaller { get; } = definition.Options.SendsCaller;

    public bool NeedsServices(Service service) => false;

    public UnservedCalls Unserved => reports.Unserved;

    // Step 2 of an isolated call (docs/architecture.md).
    public ValueTask RunAsync(Call call, in CallRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        if (call.Operation.ResultKind == ResultKind.Raw)
        {
            return RunContentAsync(call, request);
        }

        var entering = _kept.TryRent() ?? new PoolCall(this);
        entering.Begin(call, request);
        entering.Observe();
        if (request.Group?.TryAdd(this, entering) != true)
        {
            Enter(entering);
        }

        // From here on the pool owns the entry, and may already have reused it for another call.
        return call.WhenEnded;
    }

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        var entering = new PoolCall(this);
        entering.Begin(call, request);
        entering.Observe();
        return RunAsync(entering, entering.OpenItems(_stallTimeout), pump);
    }

    // Returns when the first piece has come: the caller reads the rest after the call, which ends with its content.
    private async ValueTask RunContentAsync(Call call, CallRequest request)
    {
        var entering = new PoolCall(this);
        entering.Begin(call, request);
        entering.Observe();
        var items = entering.OpenItems(_stallTimeout);
        var content = new WorkerContent(entering, items);
        try
        {
            Enter(entering);
            if (!await items.Entered.ConfigureAwait(false))
            {
                await call.WhenEnded;
            }

            await content.BeginAsync().ConfigureAwait(false);
            if (!call.TrySetResult(content))
            {
                call.Result = PipeReader.Create(content, new StreamPipeReaderOptions(bufferSize: ContentItems.PieceSize));
            }
        }
        catch
        {
            await content.DisposeAsync();
            throw;
        }

        if (request.HoldsResult && call.Hold(new HeldResult(call.Result, instance: null), HeldResult.Disposed(call.Result)) is { } unused)
        {
            await unused.DisposeAsync();
        }
    }

    public RequestSender SenderOf(Call call) => new(call, PayloadLimit, reports.Exceptions);

    public CallObservation Observe(Operation operation) => CallObservation.Begin(operation, reports.Tally, Time);

    public void Keep(PoolCall call) => _kept.Return(call);

    private async ValueTask RunAsync(PoolCall call, ItemPipe items, IStreamPump pump)
    {
        using (call)
        {
            Enter(call);
            // The worker's reader completes it; it must not post to a caller's synchronization context.
            if (!await items.Entered.ConfigureAwait(false))
            {
                // Rejected, or cancelled before it entered the pool: there is no source.
                await call.Call.WhenEnded;
            }

            try
            {
                await pump.PumpAsync(items.Source, call.Token);
            }
            finally
            {
                await items.Source.DisposeAsync();
            }
        }
    }

    // 1. Write the arguments, if a place is likely or writing them costs almost nothing. 2. Register for the caller's cancellation.
    // 3. Get a place and a worker, or a position among the waiting calls: in one event if the arguments are written.
    private void Enter(PoolCall call)
    {
        call.Time = _times.GetValueOrDefault(call.Call.Operation);
        bool isWritten;
        try
        {
            isWritten = TryWriteBeforeAdmission(call);
        }
        catch (Exception failure)
        {
            // The outcome of a call that did not enter the pool: counted and observed like any other.
            call.Fail(failure);
            return;
        }

        if (isWritten)
        {
            call.ObserveCancellation();
            if (core.Enter(call) != CallState.Ended)
            {
                call.OnEntered();
            }

            return;
        }

        call.ObserveCancellation();
        var state = core.Arrive(call);
        if (state == CallState.Admitted || state == CallState.Waiting && call.Wait())
        {
            call.Submit();
        }
    }

    private bool TryWriteBeforeAdmission(PoolCall call)
    {
        var hasSpace = core.HasSpace;
        if (!hasSpace && !call.Call.Operation.HasPlainArguments)
        {
            return false;
        }

        call.Write();
        if (!hasSpace && call.Arguments.Values.Length > MostKeptWaiting)
        {
            call.ForgetArguments();
        }

        return call.IsWritten;
    }

    /// <summary>
    /// Brings many calls to the pool with few core. Their arguments are written first, whether or not there is a place:
    /// the caller of this method limits how many calls there are.
    /// </summary>
    public void StartAll(Span<PoolCall> calls)
    {
        var count = 0;
        foreach (var call in calls)
        {
            try
            {
                call.Time = _times.GetValueOrDefault(call.Call.Operation);
                call.Write();
                call.ObserveCancellation();
                calls[count++] = call;
            }
            catch (Exception failure)
            {
                call.Fail(failure);
            }
        }

        for (var rest = calls[..count]; !rest.IsEmpty; rest = rest[Math.Min(MostAtOnce, rest.Length)..])
        {
            core.EnterAll(rest[..Math.Min(MostAtOnce, rest.Length)]);
        }
    }
}
