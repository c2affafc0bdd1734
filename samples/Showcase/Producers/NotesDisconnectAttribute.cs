using System.Diagnostics;
using Weir;

namespace Showcase;

/// <summary>
/// Notes in the host when the caller of an isolated producer leaves, so that its stop is timed from there and not from
/// the moment the worker hears of it. Of two callers who leave within the same millisecond the later one is noted.
/// </summary>
public sealed class NotesDisconnectAttribute : OperationFilterAttribute
{
    public override async ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        var counts = context.Services.GetRequiredService<ProducerCounts>();
        var registration = context.CancellationToken.UnsafeRegister(static counts => ((ProducerCounts)counts!).LastDisconnect = Stopwatch.GetTimestamp(), counts);
        await next();

        // Not after a disconnect: it might be taken back before its turn came.
        await registration.DisposeAsync();
    }
}
