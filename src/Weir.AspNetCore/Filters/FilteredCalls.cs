using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Responses;
using Weir.Runtime;

namespace Weir.AspNetCore.Filters;

/// <summary>Runs the calls of one endpoint that has endpoint filters: the filters, the operation, what they returned. Immutable; used concurrently.</summary>
internal sealed class FilteredCalls
{
    private const int NotSupplied = -1;

    private readonly EndpointServices _shared;
    private readonly Operation _operation;
    private readonly ResultResponder _result;
    private readonly EndpointFilterDelegate _chain;
    private readonly (Type Type, object? Key)[] _parameters;

    private FilteredCalls(EndpointServices shared, Operation operation, ResultResponder result, EndpointFilterDelegate chain, (Type Type, object? Key)[] parameters)
    {
        _shared = shared;
        _operation = operation;
        _result = result;
        _chain = chain;
        _parameters = parameters;
    }

    /// <summary>Builds the chain of an endpoint's filters; <c>null</c> without any. Each build of the endpoint calls the factories.</summary>
    internal static FilteredCalls? Create(EndpointServices shared, Operation operation, ResultResponder result, EndpointBuilder builder)
    {
        if (builder.FilterFactories.Count == 0)
        {
            return null;
        }

        var method = OperationMethod.Of(operation);
        var context = new EndpointFilterFactoryContext { MethodInfo = method, ApplicationServices = builder.ApplicationServices };
        EndpointFilterDelegate innermost = OperationInvocation.InvokeAsync;
        var chain = innermost;
        for (var index = builder.FilterFactories.Count - 1; index >= 0; index--)
        {
            chain = builder.FilterFactories[index](context, chain);
        }

        // Every factory may decline.
        return ReferenceEquals(chain, innermost) ? null : new FilteredCalls(shared, operation, result, chain, OperationMethod.Parameters(method));
    }

    /// <summary>Runs the filters around a call whose arguments are bound, and answers. The call is left to the garbage collector: a filter may have kept its arguments.</summary>
    /// <returns>Whether the request is answered: a stream, which answers its own failures, is sent behind the filters, within what is left of the request's time.</returns>
    /// <exception cref="OperationCanceledException">The request was cancelled: the middleware that cancelled it answers.</exception>
    internal async Task<bool> TryAnswerAsync(OperationRequest request)
    {
        var http = request.Http;
        var invocation = new OperationInvocation(this, request, _shared.Requests.Time.GetTimestamp());
        http.Features.Set(invocation);
        try
        {
            if (await TryAnswerAsync(invocation, request))
            {
                if (!invocation.HasReturned)
                {
                    // A filter did not await the operation, or caught its failure: it may read the body from now on, too.
                    request.Abandon();
                }

                return true;
            }
        }
        catch (Exception error)
        {
            await _result.FailAsync(request, error);
            return true;
        }
        finally
        {
            http.Features.Set<OperationInvocation>(null);
        }

        request.Limit = invocation.Remaining(_shared.Requests.Time);
        return false;
    }

    /// <summary>The arguments in the order of the method's parameters.</summary>
    internal object?[] ReadArguments(OperationInvocation invocation)
    {
        var arguments = new object?[_parameters.Length];
        for (var index = 0; index < arguments.Length; index++)
        {
            var position = _operation.MethodParameters[index];
            arguments[index] = position == NotSupplied ? invocation.Supply(_parameters[index].Type, _parameters[index].Key) : invocation.Call.GetArgument(position);
        }

        return arguments;
    }

    /// <summary>Replaces an argument.</summary>
    /// <exception cref="InvalidOperationException">The parameter is not one that callers supply.</exception>
    /// <exception cref="InvalidCastException">The value is not of the parameter's type.</exception>
    internal void Replace(OperationInvocation invocation, int index, object? original, object? value)
    {
        var position = _operation.MethodParameters[index];
        if (position == NotSupplied)
        {
            // A filter that passes on a context of its own has boxed what it read.
            if (!Equals(original, value))
            {
                throw new InvalidOperationException(
                    $"An endpoint filter replaced argument {index} of {_operation}, a {_parameters[index].Type}; only arguments that callers supply can be replaced.");
            }

            return;
        }

        try
        {
            invocation.Call.SetArgument(position, value);
        }
        catch (Exception error) when (error is InvalidCastException or NullReferenceException)
        {
            var parameter = _operation.Parameters[position];
            throw new InvalidCastException(
                $"An endpoint filter replaced the argument '{parameter.Name}' of {_operation} by {value?.GetType().ToString() ?? "null"}; it must be {parameter.TypeName}.", error);
        }
    }

    /// <summary>Runs the call: what it returned, for the innermost filter.</summary>
    internal async ValueTask<object?> RunAsync(OperationInvocation invocation)
    {
        if (invocation.Call is StreamCall || invocation.IsDeferred)
        {
            return new OperationStream();
        }

        if (invocation.Items is { } items && _operation.Placement == Placement.Isolated)
        {
            await items.PrefetchAsync(invocation.Remaining(_shared.Requests.Time));
        }

        await _result.CallAsync(invocation.HttpContext, (IResultFormat)invocation.Format, invocation.Call, invocation.Remaining(_shared.Requests.Time));

        // As in a minimal API, where a method without a result returns this one.
        return invocation.Call.HasResult ? invocation.Call.Result : EmptyHttpResult.Instance;
    }

    // Whether the filters and what they returned have answered: a stream is sent behind them.
    private async ValueTask<bool> TryAnswerAsync(OperationInvocation invocation, OperationRequest request)
    {
        try
        {
            var value = await _chain(invocation);
            if (value is OperationStream && invocation.HasReturned)
            {
                return false;
            }

            if (invocation is { IsDeferred: true, HasReturned: true } && value is not IStatusCodeHttpResult { StatusCode: >= 400 })
            {
                throw new InvalidOperationException(
                    $"An endpoint filter of {_operation} replaced what it got from the next one, and this request becomes a job: the answer is the job, which is stored behind the filters. Let the filter return a value that is an IResult unchanged. Nothing was stored.");
            }

            await WriteAsync(invocation, request, value);
            return true;
        }
        finally
        {
            await _result.ReleaseAsync(invocation.Call);
        }
    }

    private Task WriteAsync(OperationInvocation invocation, OperationRequest request, object? value)
    {
        // 1. What the operation returned, or a filter in its place: in the operation's formats.
        var isOwn = invocation.HasReturned && ReferenceEquals(value, invocation.Returned);
        if (isOwn || (value is null && invocation.Call is VoidCall) || (value is not IResult && invocation.Call.TrySetResult(value)))
        {
            return _result.WriteAsync(request, invocation.Remaining(_shared.Requests.Time));
        }

        // 2. Everything else: as a minimal API does.
        return ReturnedValue.WriteAsync(invocation.HttpContext, value);
    }
}
