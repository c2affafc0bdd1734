using System.Diagnostics;

namespace Weir.Worker.Calls;

/// <summary>Continues the caller's trace while a call runs, so that further calls of the operation belong to it.</summary>
internal static class TraceScope
{
    /// <summary>Starts an activity under the caller's; <c>null</c> where the caller sent none.</summary>
    public static Activity? Start(string operation, string? traceParent, string? traceState) =>
        traceParent is null ? null : new Activity(operation) { TraceStateString = traceState }.SetParentId(traceParent).Start();
}
