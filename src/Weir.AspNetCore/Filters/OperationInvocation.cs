using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.RequestStreams;
using Weir.AspNetCore.Responses;
using Weir.Runtime;

namespace Weir.AspNetCore.Filters;

/// <summary>
/// One call on its way through the endpoint filters: its arguments, and what the operation returned. Used by one flow at a time. Filters may
/// keep it; when the request has been answered, it refers to no buffer of the request.
/// </summary>
internal sealed class OperationInvocation : EndpointFilterInvocationContext
{
    private readonly FilteredCalls _calls;
    private readonly TimeSpan? _limit;
    private readonly long _began;
    private object?[]? _arguments;
    private object?[]? _original;
    private bool _hasBegun;

    /// <param name="calls">The filters.</param>
    /// <param name="request">Not kept.</param>
    /// <param name="now">When the filters begin.</param>
    internal OperationInvocation(FilteredCalls calls, OperationRequest request, long now)
    {
        _calls = calls;
        HttpContext = request.Http;
        Format = request.Format;
        Call = request.Call!;
        _limit = request.Limit;
        Items = request.Items;
        IsDeferred = request.Deferral is not null;
        _began = now;
    }

    public override HttpContext HttpContext { get; }

    /// <summary>The arguments of the operation's method, in its order. Made when a filter first asks for them.</summary>
    public override IList<object?> Arguments
    {
        get
        {
            if (_arguments is null)
            {
                _arguments = _calls.ReadArguments(this);
                _original = [.. _arguments];
            }

            return _arguments;
        }
    }

    internal IFormat Format { get; }

    internal Call Call { get; }

    /// <summary>The items of a streamed request.</summary>
    internal HttpItemReader? Items { get; }

    /// <summary>Whether its call is answered in another way than by running it now.</summary>
    internal bool IsDeferred { get; }

    /// <summary>Whether the operation has run, or is a stream that is about to.</summary>
    internal bool HasReturned { get; private set; }

    /// <summary>What the innermost filter got then: a result that no filter has replaced is the same object.</summary>
    internal object? Returned { get; private set; }

    public override T GetArgument<T>(int index) => (T)Arguments[index]!;

    /// <summary>The end of every chain: runs the call, with the arguments that the filters left.</summary>
    internal static async ValueTask<object?> InvokeAsync(EndpointFilterInvocationContext context)
    {
        // A filter may have passed on a context of its own.
        var own = context as OperationInvocation
            ?? context.HttpContext.Features.Get<OperationInvocation>()
            ?? throw new InvalidOperationException("An endpoint filter called 'next' after the request was answered; call it while the filter runs.");
        if (own._hasBegun)
        {
            throw new InvalidOperationException($"An endpoint filter called 'next' twice, and {own.Call.Operation} runs once for each request; call it at most once.");
        }

        own._hasBegun = true;
        own.TakeArguments(context);
        own.Returned = await own._calls.RunAsync(own);
        own.HasReturned = true;
        return own.Returned;
    }

    /// <summary>How long the caller still waits: filters take of the call's time. <c>null</c> means no limit.</summary>
    internal TimeSpan? Remaining(TimeProvider time) => _limit - time.GetElapsedTime(_began);

    /// <summary>What a filter sees for a parameter that callers do not supply.</summary>
    internal object? Supply(Type type, object? key) => type switch
    {
        _ when type == typeof(CancellationToken) => HttpContext.RequestAborted,
        _ when type == typeof(HttpContext) => HttpContext,
        _ when type == typeof(HttpRequest) => HttpContext.Request,
        _ when type == typeof(HttpResponse) => HttpContext.Response,
        _ when type == typeof(ClaimsPrincipal) => HttpContext.User,

        // It is made when the call runs.
        _ when type == typeof(OperationContext) => null,
        _ when key is not null => HttpContext.RequestServices.GetKeyedService(type, key),
        _ => HttpContext.RequestServices.GetService(type),
    };

    private void TakeArguments(EndpointFilterInvocationContext context)
    {
        if (ReferenceEquals(context, this) && _arguments is null)
        {
            return;
        }

        var left = context.Arguments;
        _ = Arguments;
        if (left.Count != _original!.Length)
        {
            throw new InvalidOperationException(
                $"An endpoint filter passed on {left.Count} arguments, and the method of {Call.Operation} has {_original.Length} parameters; pass on one for each.");
        }

        for (var index = 0; index < _original.Length; index++)
        {
            if (!ReferenceEquals(left[index], _original[index]))
            {
                _calls.Replace(this, index, _original[index], left[index]);
            }
        }
    }
}
