using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Mvc;
using Weir;

namespace Showcase;

/// <summary>Numbers that arrive one by one and continue after their connection was cut.</summary>
[Service]
public sealed class Ticks
{
    /// <summary>From the source: the operation runs again, from the number behind the last one received.</summary>
    [Get, Resumable]
    public async IAsyncEnumerable<long> Again(string watcher, int count = 100, int delay = 100, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        _ = watcher;
        Require.NotNegative(count);
        Require.NotNegative(delay);
        for (var number = from; number < count; number++)
        {
            await Task.Delay(delay, ct);
            yield return number;
        }
    }

    /// <summary>From memory: the operation runs once, and the host keeps the numbers while the watcher is away.</summary>
    [Get, Resumable]
    public IAsyncEnumerable<long> Kept(string watcher, int count = 100, int delay = 100, CancellationToken ct = default) => Again(watcher, count, delay, 0, ct);

    /// <summary>Aborts the connections of a watcher, as a broken network does: how many there were.</summary>
    public int Cut(string watcher, [FromServices] OpenConnections connections) => connections.Abort(watcher);
}
