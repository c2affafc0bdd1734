using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// The items of a streamed request as they arrive: in the body of an HTTP request, in frames, in a test. Read by one flow at a
/// time, through the enumerable that the operation gets.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ItemReader
{
    /// <summary>Where the items come from, for binding errors: <c>body</c>, <c>frame</c>.</summary>
    public abstract string Source { get; }

    /// <summary>Whether a member of an item that no parameter asks for is a binding error. Default <c>false</c>.</summary>
    public virtual bool RefusesUnknown => false;

    /// <summary>Whether null is accepted for every reference in an item: see <see cref="BindingErrorList.AcceptsNull"/>. Default <c>false</c>.</summary>
    public virtual bool AcceptsNull => false;

    /// <summary>The services that validation attributes of an item see; <c>null</c> for none. Default <c>null</c>.</summary>
    public virtual IServiceProvider? Services => null;

    /// <summary>The serializer of the entry point, for items that generated code cannot read; <c>null</c>, the default, between host and worker.</summary>
    public virtual JsonValueSerializer? Serializer => null;

    /// <summary>The current item; valid until <see cref="Release"/>, the next advance or the end.</summary>
    public abstract ReadOnlyMemory<byte> Current { get; }

    /// <summary>How the current item is encoded: raw only where the items are bytes.</summary>
    public virtual ResultEncoding CurrentEncoding => ResultEncoding.Json;

    /// <summary>Advances; <c>false</c> after the last item. Throws what ended the items early, and is not called again after that.</summary>
    /// <param name="cancellationToken">Cancels the waiting, not the items.</param>
    public abstract ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken);

    /// <summary>The current item was read: its bytes are not used any more. Called after each advance that gave an item.</summary>
    public virtual void Release()
    {
    }

    /// <summary>The operation wants no more. Called at most once, never during <see cref="MoveNextAsync"/>; not if no item was requested.</summary>
    public virtual ValueTask StopAsync() => default;
}
