using Microsoft.Extensions.DependencyInjection;
using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>Routes each call to the executor of its placement, with deadline, validation, context and filters where the call has them.</summary>
internal sealed class RoutedPipeline(ExecutorTable executors, IServiceScopeFactory scopes, TimeProvider time) : CallPipeline
{
    // The longest time that a timer accepts.
    private static readonly TimeSpan LongestLimit = TimeSpan.FromDays(49);

    public override ValueTask RunAsync(Call call, in CallRequest request)
    {
        var operation = call.Operation;
        var row = executors[operation];
        request.CancellationToken.ThrowIfCancellationRequested();

        // Fast path: if the call has no time limit, filter or context and needs no scope, nothing is allocated for it, not even a state machine.
        return request.TimeLimit is null && row.Filters.IsEmpty && !operation.UsesContext && !NeedsValidation(call) && (request.Services ?? WithoutScope(row, operation)) is { } services
            ? row.Executor.RunAsync(call, ToExecution(request, services, null, request.CancellationToken))
            : RunFullyAsync(call, null, row, request);
    }

    public override ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request) =>
        RunFullyAsync(call, pump, executors[call.Operation], request);

    private static EmptyScopeFactory? WithoutScope(ExecutorTable.Row row, Operation operation) =>
        row.Executor.NeedsServices(operation.Service) ? null : EmptyScopeFactory.Instance;

    private static ExecutionRequest ToExecution(in CallRequest request, IServiceProvider services, long? deadline, CancellationToken cancellationToken) => new()
    {
        Services = services,
        CancellationToken = cancellationToken,
        DeadlineTimestamp = deadline,
        WaitsForCapacity = request.WaitsForCapacity,
        ResultEncoding = request.ResultEncoding,
        HoldsResult = request.HoldsResult,
        Group = request.Group,
    };

    private async ValueTask RunFullyAsync(Call call, IStreamPump? pump, ExecutorTable.Row row, CallRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        if (request.TimeLimit <= TimeSpan.Zero)
        {
            throw Late(call, request.TimeLimit.Value);
        }

        if (request.TimeLimit > LongestLimit)
        {
            request = request with { TimeLimit = null };
        }

        AsyncServiceScope? scope = request.Services is null ? scopes.CreateAsyncScope() : null;
        try
        {
            var services = request.Services ?? scope!.Value.ServiceProvider;
            if (request.TimeLimit is { } limit)
            {
                await RunWithinAsync(call, pump, row, request, services, limit);
            }
            else
            {
                await RunFilteredAsync(call, pump, row, request, services, null, request.CancellationToken);
            }
        }
        finally
        {
            if (scope is { } made)
            {
                await made.DisposeAsync();
            }
        }
    }

    private async ValueTask RunWithinAsync(Call call, IStreamPump? pump, ExecutorTable.Row row, CallRequest request, IServiceProvider services, TimeSpan limit)
    {
        var deadline = time.GetTimestamp() + (long)(limit.TotalSeconds * time.TimestampFrequency);
        using var expiry = new CancellationTokenSource(limit, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(expiry.Token, request.CancellationToken);
        // For the calls that the operation makes itself. The value ends with this method.
        AmbientDeadline.Set(limit);
        try
        {
            await RunFilteredAsync(call, pump, row, request, services, deadline, either.Token);
        }
        catch (OperationCanceledException) when (!request.CancellationToken.IsCancellationRequested && expiry.IsCancellationRequested)
        {
            // The token that was cancelled decides the outcome: the caller's means cancelled, the time limit's means deadline exceeded.
            throw Late(call, limit);
        }
    }

    private static DeadlineExceededException Late(Call call, TimeSpan limit) =>
        new($"{call.Operation} did not end within its deadline of {limit.TotalMilliseconds:0} ms. See {WeirCodes.DeadlineExceeded}.");

    private ValueTask RunFilteredAsync(
        Call call, IStreamPump? pump, ExecutorTable.Row row, in CallRequest request, IServiceProvider services, long? deadline, CancellationToken cancellationToken)
    {
        if (NeedsValidation(call))
        {
            Validate(call, services);
        }

        var execution = ToExecution(request, services, deadline, cancellationToken);
        if (!row.Filters.IsEmpty || call.Operation.UsesContext)
        {
            DateTimeOffset? ends = request.TimeLimit is { } limit ? time.GetUtcNow() + limit : null;
            call.Context = new OperationContext(call, services, cancellationToken, ends, request.Transport);
        }

        return row.Filters.IsEmpty ? Execute(call, pump, row.Executor, execution) : RunFiltersAsync(call, pump, row, execution);
    }

    // HTTP validates together with binding, to answer with all errors at once.
    private static bool NeedsValidation(Call call) => call.Operation.HasValidation && !call.IsValidated;

    private static void Validate(Call call, IServiceProvider services)
    {
        var errors = new BindingErrorList();
        call.Validate(new ArgumentValidator(errors, services));
        errors.ThrowIfAny();
    }

    // The lambda that captures is in a separate method: a call without filters does not pay for it.
    private static ValueTask RunFiltersAsync(Call call, IStreamPump? pump, ExecutorTable.Row row, ExecutionRequest execution)
    {
        call.MayStillRun = true;
        return row.Filters.RunAsync(call.Context!, () => ExecuteAsync(call, pump, row.Executor, execution));
    }

    private static async ValueTask ExecuteAsync(Call call, IStreamPump? pump, IExecutor executor, ExecutionRequest execution)
    {
        await Execute(call, pump, executor, execution);
        call.MayStillRun = false;
    }

    private static ValueTask Execute(Call call, IStreamPump? pump, IExecutor executor, in ExecutionRequest execution) =>
        pump is null ? executor.RunAsync(call, execution) : executor.RunStreamAsync((StreamCall)call, pump, execution);
}
