namespace Weir.Runtime;

/// <summary>
/// The items of a streamed request as they arrive: in the body of an HTTP request, in frames, in a test. Read by one flow at a
/// time, through the enumerable that the operation gets.
/// </summary>
public abstract class ItemReader
{
    /// <summary>Where the items come from, as faults say it: <c>body</c>, <c>frame</c>.</summary>
    public abstract string Source { get; }

    /// <summary>Whether a member of an item that nobody asked for is a fault. Default <c>false</c>.</summary>
    public virtual bool RefusesUnknown => false;

    /// <summary>Whether null is taken for every reference in an item, as <see cref="FaultList.AcceptsNull"/> says. Default <c>false</c>.</summary>
    public virtual bool AcceptsNull => false;

    /// <summary>The current item; valid until <see cref="Release"/>, the next advance or the end.</summary>
    public abstract ReadOnlyMemory<byte> Current { get; }

    /// <summary>How the current item is encoded: raw only where the items are bytes.</summary>
    public virtual ResultEncoding CurrentEncoding => ResultEncoding.Json;

    /// <summary>Advances to the next item; <c>false</c> after the last. Throws what ended the items early, and is not asked again.</summary>
    /// <param name="cancellationToken">Ends the waiting, not the items.</param>
    public abstract ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken);

    /// <summary>The current item was read: its bytes are not looked at any more. After each advance that gave an item.</summary>
    public virtual void Release()
    {
    }

    /// <summary>The operation wants no more. Called at most once, never while <see cref="MoveNextAsync"/> runs, and not at all by an operation that never asked for an item.</summary>
    public virtual ValueTask StopAsync() => default;
}
