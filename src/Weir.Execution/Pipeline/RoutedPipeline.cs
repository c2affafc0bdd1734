using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Observation;
using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>Routes each call to the executor of its placement, with deadline, validation, context and filters where the call has them.</summary>
internal sealed class RoutedPipeline(ExecutorTable executors, IServiceScopeFactory scopes, TimeProvider time) : CallPipeline
{
    // The longest time that a timer accepts.
    private static readonly TimeSpan LongestLimit = TimeSpan.FromDays(49);

    /// <summary>Records the calls from now on; <c>null</c> while that is not asked for.</summary>
    public Recorder? Recorder { get; set; }

    // Step 1 of an isolated call (docs/architecture.md).
    public override ValueTask RunAsync(Call call, in CallRequest request) =>
        Recorder is { } recorder ? RunRecorded(recorder, call, null, request) : RunRouted(call, request);

    public override ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request) =>
        Recorder is { } recorder ? RunRecorded(recorder, call, pump, request) : RunFullyAsync(call, pump, executors[call.Operation], request);

    public override CallRecording? Arrive(Operation operation, CallRecording? used) => Recorder?.Arrive(operation, (RecordedCall?)used);

    public override void Release(CallRecording used) => Recorder?.Return((RecordedCall)used);

    // What completes at once costs no state machine, and the state machine of what does not is reused.
    private ValueTask RunRecorded(Recorder recorder, Call call, IStreamPump? pump, in CallRequest request)
    {
        if (request.Recorded is { } arrived)
        {
            return RunRecorded(arrived.Enter(request.Transport, request.TransportKind, recorder.KeepsCallers, request.CancellationToken), call, pump, request);
        }

        // A job is cancelled by its own means: its attempt would be made again.
        var recording = recorder.Begin(call.Operation, request.Transport is null, request.CancellationToken, canCancel: recorder.CancelsCalls && request.Job is null);
        return RunRecorded(recording, call, pump, request with { Recording = recording.Call, CancellationToken = recording.Call?.Token ?? request.CancellationToken });
    }

    private ValueTask RunRecorded(Recording recording, Call call, IStreamPump? pump, in CallRequest request)
    {
        ValueTask running;
        try
        {
            running = pump is null ? RunRouted(call, request) : RunFullyAsync(call, pump, executors[call.Operation], request);
        }
        catch (Exception failure)
        {
            recording.End(failure);
            throw;
        }

        if (!running.IsCompletedSuccessfully)
        {
            return AwaitAsync(running, recording);
        }

        running.GetAwaiter().GetResult();
        recording.End(null);
        return default;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask AwaitAsync(ValueTask running, Recording recording)
    {
        try
        {
            await running.ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            recording.End(failure, wasAwaited: true);
            throw;
        }

        recording.End(null, wasAwaited: true);
    }

    private ValueTask RunRouted(Call call, in CallRequest request)
    {
        var operation = call.Operation;
        var row = executors[operation];
        request.CancellationToken.ThrowIfCancellationRequested();

        // Fast path: if the call has no time limit, filter or context and needs no scope, nothing is allocated for it, not even a state machine.
        return request.TimeLimit is null && row.Filters.IsEmpty && !NeedsContext(operation, request) && !NeedsValidation(call) && (request.Services ?? WithoutScope(row, operation)) is { } services
            ? Execute(call, null, row.Executor, request.Services is null ? request with { Services = services } : request)
            : RunFullyAsync(call, null, row, request);
    }

    private static EmptyScopeFactory? WithoutScope(ExecutorTable.Row row, Operation operation) =>
        row.Executor.NeedsServices(operation.Service) ? null : EmptyScopeFactory.Instance;

    private async ValueTask RunFullyAsync(Call call, IStreamPump? pump, ExecutorTable.Row row, CallRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        if (request.TimeLimit <= TimeSpan.Zero)
        {
            throw Late(call, row, request.AskedTimeLimit ?? request.TimeLimit.Value);
        }

        if (request.TimeLimit > LongestLimit)
        {
            request = request with { TimeLimit = null };
        }

        AsyncServiceScope? scope = request.Services is null ? scopes.CreateAsyncScope() : null;
        try
        {
            request = request with { Services = request.Services ?? scope!.Value.ServiceProvider };
            await (request.TimeLimit is { } limit ? RunWithinAsync(call, pump, row, request, limit) : RunFilteredAsync(call, pump, row, request));
        }
        finally
        {
            if (scope is { } made)
            {
                await made.DisposeAsync();
            }
        }
    }

    private async ValueTask RunWithinAsync(Call call, IStreamPump? pump, ExecutorTable.Row row, CallRequest request, TimeSpan limit)
    {
        var deadline = time.GetTimestamp() + (long)(limit.TotalSeconds * time.TimestampFrequency);
        using var expiry = new CancellationTokenSource(limit, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(expiry.Token, request.CancellationToken);
        // For the calls that the operation makes itself. The value ends with this method.
        AmbientDeadline.Set(limit);
        try
        {
            await RunFilteredAsync(call, pump, row, request with { CancellationToken = either.Token, DeadlineTimestamp = deadline });
        }
        catch (OperationCanceledException) when (!request.CancellationToken.IsCancellationRequested && expiry.IsCancellationRequested)
        {
            // The token that was cancelled decides the outcome: the caller's means cancelled, the time limit's means deadline exceeded.
            throw Late(call, row, request.AskedTimeLimit ?? limit);
        }
    }

    private static DeadlineExceededException Late(Call call, ExecutorTable.Row row, TimeSpan limit)
    {
        // Whether or not it reached its executor.
        row.Executor.Unserved?.Note(UnservedReason.Late);
        return new($"{call.Operation} did not end within its deadline of {limit.TotalMilliseconds:0} ms. See {WeirCodes.DeadlineExceeded}.");
    }

    private ValueTask RunFilteredAsync(Call call, IStreamPump? pump, ExecutorTable.Row row, in CallRequest request)
    {
        if (NeedsValidation(call))
        {
            Validate(call, request.Services!);
        }

        if (!row.Filters.IsEmpty || NeedsContext(call.Operation, request))
        {
            DateTimeOffset? ends = request.TimeLimit is { } limit ? time.GetUtcNow() + limit : null;
            call.Context = new OperationContext(call, request.Services!, request.CancellationToken, ends, request.Transport) { Job = request.Job, User = call.Caller, UserOf = request.UserOf };
            request.Conditions?.WriteTo(call.Context);
        }

        return row.Filters.IsEmpty ? Execute(call, pump, row.Executor, request) : RunFiltersAsync(call, pump, row, request);
    }

    // A worker in another language finds its job in the items of the context, and every worker what a reader asks for of its content.
    private static bool NeedsContext(Operation operation, in CallRequest request) => operation.UsesContext || request.Conditions is not null || (request.Job is not null && operation.Service.IsForeign);

    // HTTP validates together with binding, to answer with all errors at once.
    private static bool NeedsValidation(Call call) => call.Operation.HasValidation && !call.IsValidated;

    private static void Validate(Call call, IServiceProvider services)
    {
        var errors = new BindingErrorList();
        call.Validate(new ArgumentValidator(errors, services));
        errors.ThrowIfAny();
    }

    // The lambda that captures is in a separate method: a call without filters does not pay for it.
    private static ValueTask RunFiltersAsync(Call call, IStreamPump? pump, ExecutorTable.Row row, CallRequest request)
    {
        call.MayStillRun = true;
        return row.Filters.RunAsync(call.Context!, () => ExecuteAsync(call, pump, row.Executor, request));
    }

    private static async ValueTask ExecuteAsync(Call call, IStreamPump? pump, IExecutor executor, CallRequest request)
    {
        await Execute(call, pump, executor, request);
        call.MayStillRun = false;
    }

    private static ValueTask Execute(Call call, IStreamPump? pump, IExecutor executor, in CallRequest request)
    {
        // Only where calls may wait are there some that were not served.
        request.Recorded?.Executing(queues: executor.Unserved is not null);
        return pump is null ? executor.RunAsync(call, request) : executor.RunStreamAsync((StreamCall)call, pump, request);
    }
}
