using Weir.Runtime;

namespace Weir.AspNetCore.Resuming;

/// <summary>The items of a resumable stream for one response, from an index on. A later reader of the stream displaces it.</summary>
/// <param name="stream">Keeps the items.</param>
/// <param name="first">The index of its first item.</param>
internal sealed class KeptReader(KeptStream stream, long first) : ItemSource
{
    private readonly CancellationTokenSource _displaced = new();

    /// <summary>The index of its first item.</summary>
    internal long First => first;

    /// <summary>Whether a later reader has taken its place.</summary>
    internal bool IsDisplaced => _displaced.IsCancellationRequested || !stream.HasReader(this);

    /// <summary>Is cancelled when a later reader takes its place.</summary>
    internal CancellationToken Displaced => _displaced.Token;

    /// <summary>Is cancelled when the response is: then waiting for an item ends. Set before the first advance.</summary>
    internal CancellationToken Aborted { get; set; }

    /// <summary>The place of the next item. Guarded by the stream's lock.</summary>
    internal ItemRing.Cursor Place { get; set; }

    public override ValueTask<bool> MoveNextAsync()
    {
        var moving = stream.TryMoveNext(this, out var wait);
        return wait is null ? new ValueTask<bool>(moving) : WaitAsync(wait);
    }

    public override void WriteCurrent(PayloadWriter output) => stream.WriteNext(this, output);

    /// <summary>Notes which items were sent: they may be dropped.</summary>
    /// <param name="index">The next one.</param>
    internal void OnSent(long index) => stream.OnSent(this, index);

    /// <summary>Cancels the response, on the thread pool: no lock is held while its callbacks run.</summary>
    internal void Displace() => _ = _displaced.CancelAsync();

    // The token source has no timer and is not disposed: a later reader may cancel it at any time.
    public override ValueTask DisposeAsync() => default;

    private async ValueTask<bool> WaitAsync(Task wait)
    {
        while (true)
        {
            await wait.WaitAsync(Aborted);
            var moving = stream.TryMoveNext(this, out var next);
            if (next is null)
            {
                return moving;
            }

            wait = next;
        }
    }
}
