using System.Diagnostics;
using Weir.Protocol.Payloads;

namespace Weir.Worker.Calls;

/// <summary>Continues the caller's trace while a call runs, so that further calls of the operation belong to it.</summary>
internal static class TraceScope
{
    // The name that an application adds to its tracing, in the host and in a worker.
    private static readonly ActivitySource Source = new("Weir");

    /// <summary>Starts an activity under the caller's, with its baggage; <c>null</c> where the caller sent none. Where the worker has a listener, it is a span for it.</summary>
    public static Activity? Start(string operation, string? traceParent, string? traceState, CallContext? context)
    {
        if (traceParent is null)
        {
            return null;
        }

        var activity = (Source.HasListeners() && ActivityContext.TryParse(traceParent, traceState, isRemote: true, out var caller) ? Source.StartActivity(operation, ActivityKind.Server, caller) : null)
            ?? new Activity(operation) { TraceStateString = traceState }.SetParentId(traceParent).Start();

        // The one that was added last is found first, as in the host.
        for (var i = (context?.Baggage.Count ?? 0) - 1; i >= 0; i--)
        {
            activity.AddBaggage(context!.Baggage[i].Key, context.Baggage[i].Value);
        }

        return activity;
    }
}
