using System.ComponentModel;
using System.Text;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>Reads the value of a JSON token; its position is on the value's first token before and on its last after.</summary>
/// <typeparam name="T">The type of the value.</typeparam>
/// <param name="reader">Positioned on the value's first token, which may be null.</param>
/// <param name="errors">Receives the binding errors.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate T JsonValueReader<T>(ref Utf8JsonReader reader, BindingErrorList errors);

/// <summary>
/// Strict reading of JSON for generated code. Every method is positioned on the value's first token when called and on its
/// last when it returns, adds a binding error for what is wrong and then returns the type's default.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class JsonValues
{
    /// <summary>Reads a scalar; null is an error, unless <see cref="BindingErrorList.AcceptsNull">null is accepted</see> and the type can be null.</summary>
    public static T Read<T>(ref Utf8JsonReader reader, BindingErrorList errors, Scalar<T> scalar)
    {
        if (IsAcceptedNull(ref reader, errors) && default(T) is null)
        {
            return default!;
        }

        if (reader.TokenType != JsonTokenType.Null && scalar.TryRead(ref reader, out var value))
        {
            return value;
        }

        if (errors.AcceptsNull && scalar.TryReadNamed(ref reader, out value))
        {
            return value;
        }

        errors.Add(reader.TokenType == JsonTokenType.Null ? BindingErrorReason.Null : BindingErrorReason.Invalid, scalar.Expected);
        reader.Skip();
        return default!;
    }

    /// <summary>Reads a scalar of a value type, or null.</summary>
    public static T? ReadNullable<T>(ref Utf8JsonReader reader, BindingErrorList errors, Scalar<T> scalar)
        where T : struct => reader.TokenType == JsonTokenType.Null ? null : Read(ref reader, errors, scalar);

    /// <summary>Reads a scalar of a reference type, or null.</summary>
    public static T? ReadOrNull<T>(ref Utf8JsonReader reader, BindingErrorList errors, Scalar<T> scalar)
        where T : class => reader.TokenType == JsonTokenType.Null ? null : Read(ref reader, errors, scalar);

    /// <summary>Reads an array of scalars; a bad element is named by its index.</summary>
    public static List<T> ReadList<T>(ref Utf8JsonReader reader, BindingErrorList errors, Scalar<T> scalar)
    {
        if (IsAcceptedNull(ref reader, errors))
        {
            return null!;
        }

        var list = new List<T>();
        if (BeginArray(ref reader, errors))
        {
            while (NextElement(ref reader))
            {
                errors.Enter(list.Count);
                list.Add(Read(ref reader, errors, scalar));
                errors.Leave();
            }
        }

        return list;
    }

    /// <summary>Reads an array of any elements; a bad element is named by its index.</summary>
    public static List<T> ReadList<T>(ref Utf8JsonReader reader, BindingErrorList errors, JsonValueReader<T> readElement)
    {
        ArgumentNullException.ThrowIfNull(readElement);
        if (IsAcceptedNull(ref reader, errors))
        {
            return null!;
        }

        var list = new List<T>();
        if (BeginArray(ref reader, errors))
        {
            while (NextElement(ref reader))
            {
                errors.Enter(list.Count);
                list.Add(readElement(ref reader, errors));
                errors.Leave();
            }
        }

        return list;
    }

    /// <summary>Reads a value that only the serializer can read: by that of the entry point, or else by <paramref name="workers"/>.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="reader">Positioned on the value's first token.</param>
    /// <param name="errors">Receives the binding errors.</param>
    /// <param name="workers">The serializer between host and worker.</param>
    /// <param name="orNull">Whether null is a value; otherwise it is a binding error, unless <see cref="BindingErrorList.AcceptsNull">null is accepted</see>.</param>
    public static T ReadSerialized<T>(ref Utf8JsonReader reader, BindingErrorList errors, JsonValueSerializer workers, bool orNull)
    {
        ArgumentNullException.ThrowIfNull(errors);
        ArgumentNullException.ThrowIfNull(workers);
        if (reader.TokenType == JsonTokenType.Null && default(T) is null && (orNull || errors.AcceptsNull))
        {
            return default!;
        }

        if (reader.TokenType == JsonTokenType.Null && !IsNullToken<T>())
        {
            errors.Add(BindingErrorReason.Null, "a JSON value");
            return default!;
        }

        return (errors.Serializer ?? workers).Read<T>(ref reader, errors);
    }

    /// <summary>Reads a value of generated code, or by the serializer where that reads all values. Null is judged by its declaration, which the serializer does not know.</summary>
    internal static T ReadReplaced<T>(ref Utf8JsonReader reader, BindingErrorList errors, JsonValueReader<T> readValue) =>
        errors.Replacement is { } serializer && reader.TokenType != JsonTokenType.Null ? serializer.Read<T>(ref reader, errors) : readValue(ref reader, errors);

    /// <summary>Whether the token opens an object; otherwise adds a binding error, but for a null that is accepted, and skips the value.</summary>
    /// <param name="reader">Positioned on the value's first token.</param>
    /// <param name="errors">Receives the binding errors.</param>
    /// <param name="isValue">Whether the object is a structure, which is never null.</param>
    public static bool BeginObject(ref Utf8JsonReader reader, BindingErrorList errors, bool isValue = false) =>
        (isValue || !IsAcceptedNull(ref reader, errors)) && Begin(ref reader, errors, JsonTokenType.StartObject, "a JSON object");

    /// <summary>Adds a binding error for an absent member of a reference type, unless null is accepted for it.</summary>
    /// <param name="errors">Receives the binding errors.</param>
    /// <param name="name">The member's name as it is written.</param>
    /// <param name="expected">What a value looks like.</param>
    public static void MissingMember(BindingErrorList errors, string name, string expected)
    {
        ArgumentNullException.ThrowIfNull(errors);
        if (!errors.AcceptsNull)
        {
            errors.Add(name, BindingErrorReason.Missing, expected);
        }
    }

    /// <summary>Whether the token opens an array; otherwise adds a binding error and skips the value.</summary>
    public static bool BeginArray(ref Utf8JsonReader reader, BindingErrorList errors) =>
        Begin(ref reader, errors, JsonTokenType.StartArray, "a JSON array");

    /// <summary>Advances to the next member's name; <c>false</c> at the object's end.</summary>
    public static bool NextMember(ref Utf8JsonReader reader) => reader.Read() && reader.TokenType == JsonTokenType.PropertyName;

    /// <summary>Advances to the next element; <c>false</c> at the array's end.</summary>
    public static bool NextElement(ref Utf8JsonReader reader) => reader.Read() && reader.TokenType != JsonTokenType.EndArray;

    /// <summary>Whether the member has this name, ignoring case.</summary>
    /// <param name="reader">Positioned on a member's name.</param>
    /// <param name="name">The name in UTF-8.</param>
    public static bool NameIs(ref Utf8JsonReader reader, ReadOnlySpan<byte> name)
    {
        if (!reader.HasValueSequence && !reader.ValueIsEscaped && Ascii.EqualsIgnoreCase(reader.ValueSpan, name))
        {
            return true;
        }

        // Escaped or beyond ASCII: rare, so it may cost a string.
        return (reader.ValueIsEscaped || reader.HasValueSequence || !Ascii.IsValid(name))
            && string.Equals(TextOf(ref reader), Encoding.UTF8.GetString(name), StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>Enters a member and advances to its value, unless the object had it before: then adds a binding error and skips it.</summary>
    /// <param name="reader">Positioned on the member's name.</param>
    /// <param name="errors">Receives the binding errors.</param>
    /// <param name="seen">One bit per member.</param>
    /// <param name="index">The member's bit, 0 to 63.</param>
    /// <param name="name">The member's name as it is written.</param>
    public static bool BeginMember(ref Utf8JsonReader reader, BindingErrorList errors, ref ulong seen, int index, string name)
    {
        ArgumentNullException.ThrowIfNull(errors);
        errors.Enter(name);
        reader.Read();
        if ((seen & (1UL << index)) == 0)
        {
            seen |= 1UL << index;
            return true;
        }

        errors.Add(BindingErrorReason.Duplicate, "one member of this name");
        errors.Leave();
        reader.Skip();
        return false;
    }

    /// <summary>Skips a member that no parameter asks for, or adds a binding error where the option to refuse such members is on.</summary>
    /// <param name="reader">Positioned on the member's name.</param>
    /// <param name="errors">Receives the binding errors.</param>
    public static void SkipUnknownMember(ref Utf8JsonReader reader, BindingErrorList errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        if (errors.RefuseUnknown)
        {
            errors.Enter(TextOf(ref reader) ?? "?");
            errors.Add(BindingErrorReason.Unknown, "no member of this name");
            errors.Leave();
        }

        reader.Read();
        reader.Skip();
    }

    /// <summary>The text of a string or name; <c>null</c> when it is valid JSON but not valid text: a lone surrogate, bad UTF-8.</summary>
    internal static string? TextOf(scoped ref Utf8JsonReader reader)
    {
        try
        {
            return reader.GetString();
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>Copies the text of a string; <c>false</c> when it is valid JSON but not valid text.</summary>
    internal static bool TryCopyText(scoped ref Utf8JsonReader reader, scoped Span<char> text, out int length)
    {
        try
        {
            length = reader.CopyString(text);
            return true;
        }
        catch (InvalidOperationException)
        {
            length = 0;
            return false;
        }
    }

    /// <summary>The bytes of the token as they are in the document.</summary>
    internal static long TokenLength(scoped ref Utf8JsonReader reader) =>
        reader.HasValueSequence ? reader.ValueSequence.Length : reader.ValueSpan.Length;

    /// <summary>Copies an ASCII token (a number) as characters.</summary>
    internal static int CopyToken(scoped ref Utf8JsonReader reader, scoped Span<char> text)
    {
        if (!reader.HasValueSequence)
        {
            return Encoding.ASCII.GetChars(reader.ValueSpan, text);
        }

        return Encoding.ASCII.GetChars(reader.ValueSequence, text);
    }

    // Types of which null is a value of its own.
    private static bool IsNullToken<T>() => typeof(T) == typeof(JsonElement);

    private static bool IsAcceptedNull(ref Utf8JsonReader reader, BindingErrorList errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        return errors.AcceptsNull && reader.TokenType == JsonTokenType.Null;
    }

    private static bool Begin(ref Utf8JsonReader reader, BindingErrorList errors, JsonTokenType token, string expected)
    {
        ArgumentNullException.ThrowIfNull(errors);
        if (reader.TokenType == token)
        {
            return true;
        }

        errors.Add(reader.TokenType == JsonTokenType.Null ? BindingErrorReason.Null : BindingErrorReason.Invalid, expected);
        reader.Skip();
        return false;
    }
}
