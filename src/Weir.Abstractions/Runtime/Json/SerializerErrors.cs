using System.Text.Json;
using System.Text.RegularExpressions;

namespace Weir.Runtime;

/// <summary>
/// Turns what the serializer throws for a value into binding errors with the path to it. The serializer has no codes for its errors, so
/// the reason is taken from its message; a message that is not recognised, in an application without them too, is <c>invalid</c>.
/// </summary>
internal static partial class SerializerErrors
{
    private const string Accepted = "a value that its type accepts";

    private static readonly Dictionary<string, Func<string>> Expected = new(StringComparer.Ordinal)
    {
        ["System.String"] = static () => Scalars.String.Expected,
        ["System.Boolean"] = static () => Scalars.Boolean.Expected,
        ["System.Byte"] = static () => Scalars.Byte.Expected,
        ["System.SByte"] = static () => Scalars.SByte.Expected,
        ["System.Int16"] = static () => Scalars.Int16.Expected,
        ["System.UInt16"] = static () => Scalars.UInt16.Expected,
        ["System.Int32"] = static () => Scalars.Int32.Expected,
        ["System.UInt32"] = static () => Scalars.UInt32.Expected,
        ["System.Int64"] = static () => Scalars.Int64.Expected,
        ["System.UInt64"] = static () => Scalars.UInt64.Expected,
        ["System.Single"] = static () => Scalars.Single.Expected,
        ["System.Double"] = static () => Scalars.Double.Expected,
        ["System.Decimal"] = static () => Scalars.Decimal.Expected,
        ["System.Byte[]"] = static () => Scalars.Bytes.Expected,
        ["System.Uri"] = static () => "a URI",
        ["System.Version"] = static () => "a version: 1.2.3",
    };

    /// <summary>Adds what the serializer found at the current place, or below it.</summary>
    /// <param name="errors">Receives the binding errors.</param>
    /// <param name="error">What it threw, with its path.</param>
    internal static void Add(BindingErrorList errors, JsonException error)
    {
        var depth = errors.Depth;
        SerializerPath.Enter(errors, error.Path);
        AddHere(errors, error);
        errors.LeaveTo(depth);
    }

    /// <summary>Whether an exception says that a value of an abstract type does not say which of its types it is, or says so too late.</summary>
    internal static bool IsWithoutDiscriminator(NotSupportedException error) => Discriminator().IsMatch(error.Message);

    /// <summary>Adds that a value does not say which of its types it is.</summary>
    /// <param name="errors">Receives the binding error.</param>
    /// <param name="error">One that <see cref="IsWithoutDiscriminator"/>; its message ends with the path.</param>
    internal static void AddDiscriminator(BindingErrorList errors, NotSupportedException error)
    {
        var depth = errors.Depth;
        SerializerPath.Enter(errors, Place().Match(error.Message) is { Success: true } place ? place.Groups[1].Value : null);
        errors.Add(BindingErrorReason.Invalid, "an object whose first member says which of its types it is, \"$type\" unless the type names another");
        errors.LeaveTo(depth);
    }

    private static void AddHere(BindingErrorList errors, JsonException error)
    {
        if (error is UnexpectedJsonException unexpected)
        {
            errors.Add(BindingErrorReason.Invalid, unexpected.Expected);
            return;
        }

        var message = error.Message;
        if (Missing().Match(message) is { Success: true } missing)
        {
            foreach (Match name in Name().Matches(missing.Groups[1].Value))
            {
                errors.Add(name.Groups[1].Value, BindingErrorReason.Missing, "a value");
            }
        }
        else if (Null().IsMatch(message))
        {
            errors.Add(BindingErrorReason.Null, "a value");
        }
        else if (Duplicate().Match(message) is { Success: true } duplicate)
        {
            AddMember(errors, error, duplicate.Groups[1].Value, BindingErrorReason.Duplicate, "one member of this name");
        }
        else if (Unknown().Match(message) is { Success: true } unknown)
        {
            AddMember(errors, error, unknown.Groups[1].Value, BindingErrorReason.Unknown, "no member of this name");
        }
        else
        {
            var type = Unconverted().Match(message) is { Success: true } unconverted ? unconverted.Groups[1].Value : "";
            errors.Add(BindingErrorReason.Invalid, Expected.TryGetValue(type, out var expected) ? expected() : Accepted);
        }
    }

    // The path is that of the member, or of the object that has it.
    private static void AddMember(BindingErrorList errors, JsonException error, string name, string reason, string expected)
    {
        if (name.Length == 0)
        {
            errors.Add(reason, expected);
            return;
        }

        if (SerializerPath.EndsWith(error.Path, name))
        {
            errors.Leave();
        }

        errors.Add(name, reason, expected);
    }

    // Without messages in the application, it is the name of the message.
    [GeneratedRegex("^The JSON payload for polymorphic |^DeserializationMustSpecifyTypeDiscriminator", RegexOptions.CultureInvariant)]
    private static partial Regex Discriminator();

    [GeneratedRegex(@" Path: (.*) \| LineNumber: \d+ \| BytePositionInLine: \d+\.$", RegexOptions.CultureInvariant | RegexOptions.Singleline)]
    private static partial Regex Place();

    [GeneratedRegex("^JSON deserialization for type '.*' was missing required properties including: (.*)\\.", RegexOptions.CultureInvariant)]
    private static partial Regex Missing();

    [GeneratedRegex("'([^']*)'", RegexOptions.CultureInvariant)]
    private static partial Regex Name();

    [GeneratedRegex("^The (?:property or field|constructor parameter) '.*' on type '.*' doesn't allow (?:setting )?null values", RegexOptions.CultureInvariant)]
    private static partial Regex Null();

    [GeneratedRegex("^Duplicate propert(?:y '(.*)' encountered|ies not allowed) during deserialization", RegexOptions.CultureInvariant)]
    private static partial Regex Duplicate();

    [GeneratedRegex("^The JSON property '(.*)' could not be mapped to any .NET member", RegexOptions.CultureInvariant)]
    private static partial Regex Unknown();

    [GeneratedRegex("^The JSON value could not be converted to (?:System\\.Nullable`1\\[)?([A-Za-z0-9.]*?(?:\\[\\])?)\\]?\\. ", RegexOptions.CultureInvariant)]
    private static partial Regex Unconverted();
}
