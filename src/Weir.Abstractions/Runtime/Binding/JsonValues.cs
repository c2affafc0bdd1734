using System.ComponentModel;
using System.Text;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>Reads the value of a JSON token; its position is on the value's first token before and on its last after.</summary>
/// <typeparam name="T">The type of the value.</typeparam>
/// <param name="reader">Positioned on the value's first token, which may be null.</param>
/// <param name="faults">Receives the binding errors.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate T JsonValueReader<T>(ref Utf8JsonReader reader, FaultList faults);

/// <summary>
/// Strict reading of JSON for generated code. Every method is positioned on the value's first token when called and on its
/// last when it returns, adds a binding error for what is wrong and then returns the type's default.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class JsonValues
{
    /// <summary>Reads a scalar; null is an error, unless <see cref="FaultList.AcceptsNull">null is accepted</see> and the type can be null.</summary>
    public static T Read<T>(ref Utf8JsonReader reader, FaultList faults, Scalar<T> scalar)
    {
        if (IsAcceptedNull(ref reader, faults) && default(T) is null)
        {
            return default!;
        }

        if (reader.TokenType != JsonTokenType.Null && scalar.TryRead(ref reader, out var value))
        {
            return value;
        }

        faults.Add(reader.TokenType == JsonTokenType.Null ? FaultReason.Null : FaultReason.Invalid, scalar.Expected);
        reader.Skip();
        return default!;
    }

    /// <summary>Reads a scalar of a value type, or null.</summary>
    public static T? ReadNullable<T>(ref Utf8JsonReader reader, FaultList faults, Scalar<T> scalar)
        where T : struct => reader.TokenType == JsonTokenType.Null ? null : Read(ref reader, faults, scalar);

    /// <summary>Reads a scalar of a reference type, or null.</summary>
    public static T? ReadOrNull<T>(ref Utf8JsonReader reader, FaultList faults, Scalar<T> scalar)
        where T : class => reader.TokenType == JsonTokenType.Null ? null : Read(ref reader, faults, scalar);

    /// <summary>Reads an array of scalars; a bad element is named by its index.</summary>
    public static List<T> ReadList<T>(ref Utf8JsonReader reader, FaultList faults, Scalar<T> scalar)
    {
        if (IsAcceptedNull(ref reader, faults))
        {
            return null!;
        }

        var list = new List<T>();
        if (BeginArray(ref reader, faults))
        {
            while (NextElement(ref reader))
            {
                faults.Enter(list.Count);
                list.Add(Read(ref reader, faults, scalar));
                faults.Leave();
            }
        }

        return list;
    }

    /// <summary>Reads an array of any elements; a bad element is named by its index.</summary>
    public static List<T> ReadList<T>(ref Utf8JsonReader reader, FaultList faults, JsonValueReader<T> readElement)
    {
        ArgumentNullException.ThrowIfNull(readElement);
        if (IsAcceptedNull(ref reader, faults))
        {
            return null!;
        }

        var list = new List<T>();
        if (BeginArray(ref reader, faults))
        {
            while (NextElement(ref reader))
            {
                faults.Enter(list.Count);
                list.Add(readElement(ref reader, faults));
                faults.Leave();
            }
        }

        return list;
    }

    /// <summary>Whether the token opens an object; otherwise adds a binding error, but for a null that is accepted, and skips the value.</summary>
    /// <param name="reader">Positioned on the value's first token.</param>
    /// <param name="faults">Receives the binding errors.</param>
    /// <param name="isValue">Whether the object is a structure, which is never null.</param>
    public static bool BeginObject(ref Utf8JsonReader reader, FaultList faults, bool isValue = false) =>
        (isValue || !IsAcceptedNull(ref reader, faults)) && Begin(ref reader, faults, JsonTokenType.StartObject, "a JSON object");

    /// <summary>Adds a binding error for an absent member of a reference type, unless null is accepted for it.</summary>
    /// <param name="faults">Receives the binding errors.</param>
    /// <param name="name">The member's name as it is written.</param>
    /// <param name="expected">What a value looks like.</param>
    public static void MissingMember(FaultList faults, string name, string expected)
    {
        ArgumentNullException.ThrowIfNull(faults);
        if (!faults.AcceptsNull)
        {
            faults.Add(name, FaultReason.Missing, expected);
        }
    }

    /// <summary>Whether the token opens an array; otherwise adds a binding error and skips the value.</summary>
    public static bool BeginArray(ref Utf8JsonReader reader, FaultList faults) =>
        Begin(ref reader, faults, JsonTokenType.StartArray, "a JSON array");

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
    /// <param name="faults">Receives the binding errors.</param>
    /// <param name="seen">One bit per member.</param>
    /// <param name="index">The member's bit, 0 to 63.</param>
    /// <param name="name">The member's name as it is written.</param>
    public static bool BeginMember(ref Utf8JsonReader reader, FaultList faults, ref ulong seen, int index, string name)
    {
        ArgumentNullException.ThrowIfNull(faults);
        faults.Enter(name);
        reader.Read();
        if ((seen & (1UL << index)) == 0)
        {
            seen |= 1UL << index;
            return true;
        }

        faults.Add(FaultReason.Duplicate, "one member of this name");
        faults.Leave();
        reader.Skip();
        return false;
    }

    /// <summary>Skips a member that no parameter asks for, or adds a binding error where the option to refuse such members is on.</summary>
    /// <param name="reader">Positioned on the member's name.</param>
    /// <param name="faults">Receives the binding errors.</param>
    public static void SkipUnknownMember(ref Utf8JsonReader reader, FaultList faults)
    {
        ArgumentNullException.ThrowIfNull(faults);
        if (faults.RefuseUnknown)
        {
            faults.Enter(TextOf(ref reader) ?? "?");
            faults.Add(FaultReason.Unknown, "no member of this name");
            faults.Leave();
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

    private static bool IsAcceptedNull(ref Utf8JsonReader reader, FaultList faults)
    {
        ArgumentNullException.ThrowIfNull(faults);
        return faults.AcceptsNull && reader.TokenType == JsonTokenType.Null;
    }

    private static bool Begin(ref Utf8JsonReader reader, FaultList faults, JsonTokenType token, string expected)
    {
        ArgumentNullException.ThrowIfNull(faults);
        if (reader.TokenType == token)
        {
            return true;
        }

        faults.Add(reader.TokenType == JsonTokenType.Null ? FaultReason.Null : FaultReason.Invalid, expected);
        reader.Skip();
        return false;
    }
}
