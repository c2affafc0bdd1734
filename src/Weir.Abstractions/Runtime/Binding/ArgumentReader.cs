using System.ComponentModel;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>
/// Passes named arguments to generated binders one after the other, wherever they are: path, query, form, JSON body, raw body or
/// frame. What is wrong goes into <see cref="Errors"/>; nothing is thrown. Not for concurrent use.
/// </summary>
/// <remarks>
/// A binder calls <see cref="MoveNext"/> until it is <c>false</c>; for a known name <see cref="Begin"/>, one
/// <c>Read…</c>, <see cref="End"/>; for an unknown one <see cref="SkipUnknown"/>; then <see cref="Missing(string, string)"/> for each argument that did
/// not come. This class decides how strict that is, not the binder.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ArgumentReader
{
    private const int MostParameters = 64;

    // Which form and source filled a repeatable parameter first; a second source is a binding error.
    private readonly string?[] _sources = new string?[MostParameters];

    /// <summary>A reader that collects into <paramref name="errors"/>.</summary>
    /// <param name="errors">Receives the binding errors.</param>
    protected ArgumentReader(BindingErrorList errors) => Errors = errors;

    /// <summary>What is wrong so far.</summary>
    public BindingErrorList Errors { get; }

    /// <summary>The current argument's name as the caller wrote it.</summary>
    public abstract ReadOnlySpan<char> Name { get; }

    /// <summary>The form of the current value.</summary>
    public abstract ArgumentForm Form { get; }

    /// <summary>Where the current value comes from: <c>header</c>, <c>route</c>, <c>query</c>, <c>form</c>, <c>body</c>, <c>frame</c>.</summary>
    public abstract string Source { get; }

    /// <summary>The current value when its form is <see cref="ArgumentForm.Text"/>.</summary>
    protected abstract ReadOnlySpan<char> Text { get; }

    /// <summary>The current value when its form is <see cref="ArgumentForm.Json"/>: exactly one JSON value.</summary>
    protected abstract ReadOnlySpan<byte> Json { get; }

    /// <summary>The current value when its form is <see cref="ArgumentForm.Raw"/>; valid until the call completes.</summary>
    protected abstract ReadOnlyMemory<byte> Raw { get; }

    /// <summary>Where a parameter's argument came from; <c>null</c> where there was none.</summary>
    internal string? SourceOf(int index) => _sources[index];

    /// <summary>Advances to the next argument; <c>false</c> after the last.</summary>
    public abstract bool MoveNext();

    /// <summary>Whether the current argument has this name, ignoring case.</summary>
    /// <param name="name">A parameter's name.</param>
    public bool Is(string name) => Name.Equals(name, StringComparison.OrdinalIgnoreCase);

    /// <summary>Whether the current argument is for a parameter whose source an attribute chose. Only HTTP has several sources.</summary>
    /// <param name="name">The parameter's name.</param>
    /// <param name="wireName">The name that callers write over HTTP.</param>
    /// <param name="source">The only source over HTTP.</param>
    public virtual bool Is(string name, string wireName, ParameterSource source) => Is(name);

    /// <summary>Enters the current argument's value; <c>false</c>, with a binding error, when it was given before.</summary>
    /// <param name="seen">One bit per parameter.</param>
    /// <param name="index">The parameter's bit, 0 to 63.</param>
    /// <param name="name">The parameter's name as declared.</param>
    /// <param name="repeatable">Whether text may come several times, from one source: an array.</param>
    public bool Begin(ref ulong seen, int index, string name, bool repeatable = false)
    {
        Errors.Source = Source;
        var bit = 1UL << index;
        if ((seen & bit) != 0 && !(repeatable && Form == ArgumentForm.Text && _sources[index] == Source))
        {
            Errors.Add(name, BindingErrorReason.Duplicate, "one value, in one place");
            return false;
        }

        seen |= bit;
        _sources[index] = Source;
        Errors.Enter(name);
        return true;
    }

    /// <summary>Clears where the arguments of an earlier call came from. Called before <see cref="MoveNext"/> by binders whose arguments are validated.</summary>
    /// <param name="count">How many parameters there are.</param>
    public void ForgetSources(int count) => Array.Clear(_sources, 0, count);

    /// <summary>Leaves the current argument's value.</summary>
    /// <param name="seen">One bit per parameter; a reader may clear the bit again, and the parameter gets its default.</param>
    /// <param name="index">The parameter's bit, 0 to 63.</param>
    /// <param name="optional">Whether the parameter has a default.</param>
    public virtual void End(ref ulong seen, int index, bool optional) => Errors.Leave();

    /// <summary>Notes that a required parameter is absent.</summary>
    /// <param name="name">The parameter's name as declared.</param>
    /// <param name="expected">What a value looks like.</param>
    public virtual void Missing(string name, string expected)
    {
        Errors.Source = "request";
        Errors.Add(name, BindingErrorReason.Missing, expected);
    }

    /// <summary>Notes that a required parameter whose source an attribute chose is absent.</summary>
    /// <param name="name">The name that callers write.</param>
    /// <param name="expected">What a value looks like.</param>
    /// <param name="source">The only source over HTTP.</param>
    public virtual void Missing(string name, string expected, ParameterSource source) => Missing(name, expected);

    /// <summary>
    /// Notes that a list which may not be null is absent: it is empty. Where the arguments are members of a JSON object, in which an
    /// empty list can be written, it is missing.
    /// </summary>
    /// <param name="name">The parameter's name as declared.</param>
    /// <param name="expected">What a value looks like.</param>
    public virtual void MissingList(string name, string expected)
    {
    }

    /// <summary>Skips an argument that no parameter asks for, or adds a binding error where the option to refuse such arguments is on.</summary>
    public virtual void SkipUnknown()
    {
        if (Errors.RefuseUnknown)
        {
            Errors.Source = Source;
            Errors.Add(Name.ToString(), BindingErrorReason.Unknown, "no argument of this name");
        }
    }

    /// <summary>Refuses an argument for the parameter whose items are the request's body: its value can be nowhere else.</summary>
    /// <param name="name">The parameter's name as declared.</param>
    public void RefuseItems(string name)
    {
        Errors.Source = Source;
        Errors.Add(name, BindingErrorReason.Invalid, "items in the request's body");
    }

    /// <summary>Reads a scalar; null is a binding error.</summary>
    /// <typeparam name="T">The scalar's type.</typeparam>
    /// <param name="scalar">How to read it.</param>
    /// <param name="texts">Receives the text of a value that its own type parses; <c>null</c>, the default, where nothing is sent on.</param>
    public T Read<T>(Scalar<T> scalar, ParsedTexts<T>? texts = null)
    {
        ArgumentNullException.ThrowIfNull(scalar);
        switch (Form)
        {
            case ArgumentForm.Text when TryParse(scalar, texts, out var value):
                return value;
            case ArgumentForm.Json:
                var reader = Open();
                var read = texts is null ? ReadValue(ref reader, Errors, scalar) : ReadParsed(ref reader, Errors, scalar, texts);
                CheckEnd(ref reader);
                return read;
            default:
                Errors.Add(BindingErrorReason.Invalid, scalar.Expected);
                return default!;
        }
    }

    /// <summary>Reads a scalar of a value type; JSON null is null, and empty text is not.</summary>
    /// <typeparam name="T">The scalar's type.</typeparam>
    /// <param name="scalar">How to read it.</param>
    /// <param name="texts">As in <see cref="Read"/>.</param>
    public T? ReadNullable<T>(Scalar<T> scalar, ParsedTexts<T>? texts = null)
        where T : struct => IsJsonNull() ? null : Read(scalar, texts);

    /// <summary>Reads a scalar of a reference type; JSON null is null.</summary>
    /// <typeparam name="T">The scalar's type.</typeparam>
    /// <param name="scalar">How to read it.</param>
    /// <param name="texts">As in <see cref="Read"/>.</param>
    public T? ReadOrNull<T>(Scalar<T> scalar, ParsedTexts<T>? texts = null)
        where T : class => IsJsonNull() ? null : Read(scalar, texts);

    /// <summary>Reads one more element from text, or all elements from a JSON array.</summary>
    /// <typeparam name="T">The element's type.</typeparam>
    /// <param name="elements">The elements so far; <c>null</c> before the first.</param>
    /// <param name="scalar">How to read an element.</param>
    /// <param name="orNull">Whether JSON null is no list; otherwise it is a binding error.</param>
    /// <param name="texts">As in <see cref="Read"/>.</param>
    public void ReadElements<T>(ref List<T>? elements, Scalar<T> scalar, bool orNull = false, ParsedTexts<T>? texts = null)
    {
        if (IsNoList(orNull))
        {
            elements = null;
            return;
        }

        if (Form == ArgumentForm.Json)
        {
            var reader = Open();
            elements = texts is not null ? ReadParsedList(ref reader, scalar, texts)
                : Errors.Replacement is null ? JsonValues.ReadList(ref reader, Errors, scalar)
                : ReadReplacedList(ref reader, scalar);
            CheckEnd(ref reader);
            return;
        }

        elements ??= [];
        Errors.Enter(elements.Count);
        elements.Add(Read(scalar, texts));
        Errors.Leave();
    }

    /// <summary>As <see cref="ReadElements"/>, where an element of JSON may be null.</summary>
    /// <typeparam name="T">The element's type.</typeparam>
    /// <param name="elements">The elements so far; <c>null</c> before the first.</param>
    /// <param name="scalar">How to read an element.</param>
    /// <param name="orNull">Whether JSON null is no list; otherwise it is a binding error.</param>
    /// <param name="texts">As in <see cref="Read"/>.</param>
    public void ReadNullableElements<T>(ref List<T?>? elements, Scalar<T> scalar, bool orNull = false, ParsedTexts<T>? texts = null)
        where T : struct
    {
        if (IsNoList(orNull))
        {
            elements = null;
            return;
        }

        if (Form == ArgumentForm.Json)
        {
            var reader = Open();
            elements = JsonValues.ReadList<T?>(ref reader, Errors, (ref element, errors) => element.TokenType == JsonTokenType.Null ? null : texts is null ? ReadValue(ref element, errors, scalar) : ReadParsed(ref element, errors, scalar, texts));
            CheckEnd(ref reader);
            return;
        }

        elements ??= [];
        Errors.Enter(elements.Count);
        elements.Add(Read(scalar, texts));
        Errors.Leave();
    }

    /// <summary>As <see cref="ReadElements"/>, where an element of JSON may be null.</summary>
    /// <typeparam name="T">The element's type.</typeparam>
    /// <param name="elements">The elements so far; <c>null</c> before the first.</param>
    /// <param name="scalar">How to read an element.</param>
    /// <param name="orNull">Whether JSON null is no list; otherwise it is a binding error.</param>
    /// <param name="texts">As in <see cref="Read"/>.</param>
    public void ReadElementsOrNull<T>(ref List<T?>? elements, Scalar<T> scalar, bool orNull = false, ParsedTexts<T>? texts = null)
        where T : class
    {
        if (IsNoList(orNull))
        {
            elements = null;
            return;
        }

        if (Form == ArgumentForm.Json)
        {
            var reader = Open();
            elements = JsonValues.ReadList<T?>(ref reader, Errors, (ref element, errors) => element.TokenType == JsonTokenType.Null ? null : texts is null ? ReadValue(ref element, errors, scalar) : ReadParsed(ref element, errors, scalar, texts));
            CheckEnd(ref reader);
            return;
        }

        elements ??= [];
        Errors.Enter(elements.Count);
        elements.Add(Read(scalar, texts));
        Errors.Leave();
    }

    /// <summary>Reads a value that only JSON can hold.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="readValue">Reads it; handles null itself.</param>
    public T ReadJson<T>(JsonValueReader<T> readValue)
    {
        ArgumentNullException.ThrowIfNull(readValue);
        if (Form != ArgumentForm.Json)
        {
            Errors.Add(BindingErrorReason.Invalid, "JSON in the request's body");
            return default!;
        }

        var depth = Errors.Depth;
        try
        {
            var reader = Open();
            var value = JsonValues.ReadReplaced(ref reader, Errors, readValue);
            if (reader.Read())
            {
                Errors.Add(BindingErrorReason.Malformed, "one JSON value and nothing after it");
            }

            return value;
        }
        catch (JsonException error)
        {
            Errors.LeaveTo(depth);
            Errors.Add(BindingErrorReason.Malformed, JsonArgumentReader.Describe(error, Errors.ReaderOptions.MaxDepth));
            return default!;
        }
    }

    /// <summary>An object that the transport has for a parameter: the body of the request unread, or a file of a form; <c>null</c> where it has none.</summary>
    /// <typeparam name="T">The parameter's type.</typeparam>
    /// <param name="name">The name that callers write.</param>
    public virtual T? Attached<T>(string name)
        where T : class => null;

    /// <summary>Reads bytes: raw as they are, base64 from text and JSON.</summary>
    public ReadOnlyMemory<byte> ReadBytes() => Form == ArgumentForm.Raw ? Raw : Read(Scalars.Bytes);

    private bool IsNoList(bool orNull) => (orNull || Errors.AcceptsNull) && IsJsonNull();

    private bool IsJsonNull() => Form == ArgumentForm.Json && Json.SequenceEqual("null"u8);

    private Utf8JsonReader Open()
    {
        var reader = new Utf8JsonReader(Json, Errors.ReaderOptions);
        reader.Read();
        return reader;
    }

    // Separate: a method with a lambda allocates for what it captures, whatever way it takes.
    private List<T> ReadReplacedList<T>(ref Utf8JsonReader reader, Scalar<T> scalar) =>
        JsonValues.ReadList<T>(ref reader, Errors, (ref element, errors) => ReadValue(ref element, errors, scalar));

    private List<T> ReadParsedList<T>(ref Utf8JsonReader reader, Scalar<T> scalar, ParsedTexts<T> texts) =>
        JsonValues.ReadList<T>(ref reader, Errors, (ref element, errors) => ReadParsed(ref element, errors, scalar, texts));

    private bool TryParse<T>(Scalar<T> scalar, ParsedTexts<T>? texts, out T value)
    {
        if (texts is null || scalar is not ParsedScalar<T> parsed)
        {
            return scalar.TryParse(Text, out value);
        }

        var text = Text.ToString();
        if (!parsed.TryParse(text, out value))
        {
            return false;
        }

        texts.Add(value, text);
        return true;
    }

    private static T ReadParsed<T>(ref Utf8JsonReader reader, BindingErrorList errors, Scalar<T> scalar, ParsedTexts<T> texts)
    {
        if (scalar is not ParsedScalar<T> parsed || reader.TokenType == JsonTokenType.Null)
        {
            return ReadValue(ref reader, errors, scalar);
        }

        if (parsed.TryRead(ref reader, out var value, out var text))
        {
            texts.Add(value, text);
            return value;
        }

        errors.Add(BindingErrorReason.Invalid, scalar.Expected);
        reader.Skip();
        return default!;
    }

    // A member of an object is exactly one value; a body that is one argument as a whole may have more behind it.
    private void CheckEnd(ref Utf8JsonReader reader)
    {
        if (reader.BytesConsumed == Json.Length)
        {
            return;
        }

        try
        {
            reader.Read();
        }
        catch (JsonException error)
        {
            Errors.Add(BindingErrorReason.Malformed, JsonArgumentReader.Describe(error, Errors.ReaderOptions.MaxDepth));
        }
    }

    // Null is judged by the parameter, which the serializer does not know. The serializer has another form, or none, for types that parse their own text.
    private static T ReadValue<T>(ref Utf8JsonReader reader, BindingErrorList errors, Scalar<T> scalar) =>
        errors.Replacement is { } serializer && reader.TokenType != JsonTokenType.Null && scalar is not ParsedScalar<T> && !BytesScalar.IsBytes<T>()
            ? serializer.Read<T>(ref reader, errors)
            : JsonValues.Read(ref reader, errors, scalar);
}
