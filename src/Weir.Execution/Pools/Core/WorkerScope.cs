using System.Collections;
using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Core;

/// <summary>Restores around one log call what was around the record in its worker: the trace, and the scopes.</summary>
internal static class WorkerScope
{
    /// <summary>Logs a record inside its scopes. During the call the current activity is one of its trace, whose parent is the worker's span.</summary>
    public static void Log(ILogger logger, LogItem item)
    {
        var activity = Continue(item.Details);
        var open = new Stack<IDisposable>();
        try
        {
            foreach (var scope in item.Details?.Scopes ?? [])
            {
                if (logger.BeginScope(new Scope(scope)) is { } opened)
                {
                    open.Push(opened);
                }
            }

            logger.Log(item.Level, item.Id, item, item.Exception.Length == 0 ? null : new WorkerException(item.Exception), static (item, _) => item.ToString());
        }
        finally
        {
            while (open.TryPop(out var scope))
            {
                scope.Dispose();
            }

            activity?.Stop();
        }
    }

    private static Activity? Continue(LogDetails? details) =>
        details is { TraceId.Length: 32, SpanId.Length: 16 } && ActivityContext.TryParse($"00-{details.TraceId}-{details.SpanId}-00", null, out var parent)
            ? new Activity("Weir.Log").SetParentId(parent.TraceId, parent.SpanId).Start()
            : null;

    private sealed class Scope(LogScope scope) : IReadOnlyList<KeyValuePair<string, object?>>
    {
        public int Count => scope.Values.Count;

        public KeyValuePair<string, object?> this[int index] => new(scope.Values[index].Name, LogItem.ValueOf(scope.Values[index]));

        public override string ToString() => scope.Text;

        public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
        {
            for (var i = 0; i < Count; i++)
            {
                yield return this[i];
            }
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }
}
