using System.Buffers;
using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>Splits a body that arrives in pieces into what the operation reads one after the other. Of one request; not for concurrent use.</summary>
internal abstract class BodySplitter : IDisposable
{
    /// <summary>The current item; valid until the next take, and, unless it <see cref="IsCopied"/>, only as long as the bytes passed with it.</summary>
    internal abstract ReadOnlyMemory<byte> Current { get; }

    /// <summary>How the items are encoded.</summary>
    internal abstract ResultEncoding Encoding { get; }

    /// <summary>Whether the current item is a copy: the bytes passed with it are not used after the take.</summary>
    internal abstract bool IsCopied { get; }

    /// <summary>What a sender that stalls has not sent, for messages.</summary>
    internal abstract string Awaited { get; }

    /// <summary>Takes the next item.</summary>
    /// <param name="bytes">Afterwards what follows the item; positioned at its end, empty, where no item ends in these bytes.</param>
    /// <exception cref="BindingException">There is something where no item can be.</exception>
    /// <exception cref="PayloadTooLargeException">The item is larger than the limit.</exception>
    internal abstract bool TryTake(ref ReadOnlySequence<byte> bytes);

    /// <summary>The body has ended; <c>true</c> when that makes one more item.</summary>
    /// <exception cref="BindingException">It must not end here.</exception>
    internal abstract bool TryEnd();

    /// <summary>What to throw for a body that cannot be read at all.</summary>
    internal abstract BindingException Malformed(string expected);

    public abstract void Dispose();
}
