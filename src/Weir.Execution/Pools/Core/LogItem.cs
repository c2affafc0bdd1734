using System.Collections;
using Microsoft.Extensions.Logging;

namespace Weir.Execution.Pools.Core;

/// <summary>One line or record of a worker, with its fields for a structured log.</summary>
/// <param name="Level">Its level.</param>
/// <param name="Id">Its event; none for a line that was printed.</param>
/// <param name="Category">Its category; <c>null</c> is the pool's own.</param>
/// <param name="Message">The text.</param>
/// <param name="ProcessId">The worker.</param>
/// <param name="CallId">The call that ran, by its number on the worker's channel; 0 for none.</param>
/// <param name="Operation">That call's operation; <c>null</c> for none.</param>
internal readonly record struct LogItem(LogLevel Level, EventId Id, string? Category, string Message, int ProcessId, ulong CallId, string? Operation)
    : IReadOnlyList<KeyValuePair<string, object?>>
{
    public int Count => 5;

    public KeyValuePair<string, object?> this[int index] => index switch
    {
        0 => new("Message", Message),
        1 => new("ProcessId", ProcessId),
        2 => new("CallId", CallId),
        3 => new("Operation", Operation),
        4 => new("{OriginalFormat}", "{Message} (worker {ProcessId}, call {CallId} of {Operation})"),
        _ => throw new ArgumentOutOfRangeException(nameof(index)),
    };

    public override string ToString() =>
        CallId == 0 ? $"{Message} (worker {ProcessId})" : $"{Message} (worker {ProcessId}, call {CallId}{(Operation is null ? "" : $" of {Operation}")})";

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        for (var i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
