using System.ComponentModel;
using System.Text.Json;
using System.Text.Unicode;

namespace Weir.Runtime;

/// <summary>How the items of one operation's streamed request are encoded. Generated; immutable; used concurrently.</summary>
/// <typeparam name="T">The item's type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ItemCodec<T>
{
    /// <summary>Returns the items that a reader reads, to be enumerated once.</summary>
    /// <param name="items">Where they arrive.</param>
    /// <param name="parameter">The parameter's name, for binding errors.</param>
    public IAsyncEnumerable<T> Receive(ItemReader items, string parameter)
    {
        ArgumentNullException.ThrowIfNull(items);
        return new ReceivedItems<T>(items, this, parameter);
    }

    /// <summary>Enumerates items that are sent elsewhere, from the source's first advance on.</summary>
    /// <param name="items">What the caller gave.</param>
    /// <param name="cancellationToken">Given to the enumerator.</param>
    /// <exception cref="ArgumentNullException">The caller gave no items.</exception>
    public ItemSource Send(IAsyncEnumerable<T> items, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(items);
        return new SentItems<T>(this, items, cancellationToken);
    }

    /// <summary>Whether items are validated when they arrive. Default <c>false</c>.</summary>
    public virtual bool IsValidated => false;

    /// <summary>Evaluates the validation attributes of an item. Written by the generator where there are any.</summary>
    /// <param name="item">The item.</param>
    /// <param name="validator">Receives what is not valid.</param>
    public virtual void Validate(T item, ArgumentValidator validator)
    {
    }

    /// <summary>How an item is written: raw where it is bytes, and not null.</summary>
    /// <param name="item">The item.</param>
    public virtual ResultEncoding EncodingOf(T item) => ResultEncoding.Json;

    /// <summary>Writes one item as <see cref="EncodingOf"/> decides.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="item">The item.</param>
    public abstract void Write(PayloadWriter output, T item);

    /// <summary>Reads an item of JSON.</summary>
    /// <param name="reader">Positioned on the value's first token, and afterwards on its last.</param>
    /// <param name="errors">Receives the binding errors.</param>
    protected abstract T Read(ref Utf8JsonReader reader, BindingErrorList errors);

    /// <summary>Reads a raw item. Only items of bytes have that form.</summary>
    /// <param name="item">All its bytes; copied.</param>
    /// <param name="errors">Receives the binding errors.</param>
    protected virtual T ReadRaw(ReadOnlySpan<byte> item, BindingErrorList errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        errors.Add(BindingErrorReason.Invalid, "JSON");
        return default!;
    }

    /// <summary>Reads one item; the type's default, with a binding error, when it does not read.</summary>
    internal T Read(ReadOnlySpan<byte> item, ResultEncoding encoding, BindingErrorList errors)
    {
        if (encoding == ResultEncoding.Raw)
        {
            return ReadRaw(item, errors);
        }

        if (!Utf8.IsValid(item))
        {
            errors.Add(BindingErrorReason.Malformed, "JSON in UTF-8");
            return default!;
        }

        var depth = errors.Depth;
        try
        {
            var reader = new Utf8JsonReader(item, errors.ReaderOptions);
            reader.Read();
            var value = errors.Replacement is { } serializer && reader.TokenType != JsonTokenType.Null && !BytesScalar.IsBytes<T>() ? serializer.Read<T>(ref reader, errors) : Read(ref reader, errors);
            reader.Read(); // Throws on anything but white space after the value.
            return value;
        }
        catch (JsonException error)
        {
            errors.LeaveTo(depth);
            errors.Add(BindingErrorReason.Malformed, JsonArgumentReader.Describe(error, errors.ReaderOptions.MaxDepth));
            return default!;
        }
    }
}
