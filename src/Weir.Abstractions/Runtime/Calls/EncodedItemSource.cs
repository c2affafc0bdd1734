using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Items that are already encoded: they come from a worker.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class EncodedItemSource : ItemSource
{
    /// <summary>The current item as one JSON value; valid until the next advance.</summary>
    public abstract ReadOnlyMemory<byte> Current { get; }

    /// <summary>Whose items they are: it decodes them where the serializer of the entry point writes all values. Without it they are written as they are.</summary>
    public StreamCall? Call { get; init; }

    /// <inheritdoc/>
    public sealed override void WriteCurrent(PayloadWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (output.ReplacesGeneratedCode && Call is { } call)
        {
            call.WriteDecoded(output, Current.Span);
        }
        else
        {
            output.Write(Current.Span);
        }
    }

    /// <inheritdoc/>
    public sealed override void WriteRawCurrent(PayloadWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write(PayloadReader.Read(Current.Span, Scalars.Bytes));
    }
}
