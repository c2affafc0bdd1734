using Microsoft.CodeAnalysis.CSharp;
using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the code that reads and writes one value as JSON.</summary>
internal static class JsonCode
{
    private const string Values = "global::Weir.Runtime.JsonValues";
    /// <summary>An expression for the serializer of this assembly between host and worker.</summary>
    public const string WorkerSerializer = "JsonTypes.Workers";

    private const string Delegate = "static (ref global::System.Text.Json.Utf8JsonReader {0}, global::Weir.Runtime.BindingErrorList {1}) => {2}";

    /// <summary>A string literal.</summary>
    public static string Quote(string text) => SymbolDisplay.FormatLiteral(text, quote: true);

    /// <summary>An expression for the text that describes what a value looks like.</summary>
    public static string Expected(ValueModel value) => value.Kind switch
    {
        ValueKind.Scalar => value.Codec + ".Expected",
        ValueKind.Memory => "global::Weir.Runtime.Scalars.Bytes.Expected",
        ValueKind.Object => "\"a JSON object\"",
        ValueKind.Serialized => "\"a JSON value\"",
        _ => "\"a JSON array\"",
    };

    /// <summary>An expression that reads a value; the reader is positioned on its first token.</summary>
    public static string Read(ValueModel value, string reader = "reader", string errors = "errors", int depth = 0) => value.Kind switch
    {
        ValueKind.Scalar => $"{Values}.{(!value.IsNullable ? "Read" : value.IsValueType ? "ReadNullable" : "ReadOrNull")}(ref {reader}, {errors}, {value.Codec})",
        ValueKind.Object => $"{value.Codec}.{(value.IsNullable ? "ReadOrNull" : "Read")}(ref {reader}, {errors})",
        ValueKind.Serialized => $"{Values}.ReadSerialized<{value.Type}>(ref {reader}, {errors}, {WorkerSerializer}, orNull: {(value.IsNullable ? "true" : "false")})",
        ValueKind.Memory => OrNull(value, reader, $"(global::System.ReadOnlyMemory<byte>){Values}.Read(ref {reader}, {errors}, global::Weir.Runtime.Scalars.Bytes)"),
        _ => OrNull(value, reader, List(value, reader, errors, depth)),
    };

    /// <summary>An expression for a <c>JsonValueReader&lt;T&gt;</c>.</summary>
    public static string Reader(ValueModel value, int depth = 0) =>
        value.Kind == ValueKind.Object
            ? $"{value.Codec}.{(value.IsNullable ? "ReadOrNull" : "Read")}"
            : string.Format(null, Delegate, "reader" + depth, "errors" + depth, Read(value, "reader" + depth, "errors" + depth, depth + 1));

    /// <summary>Statements that write a value to the <c>PayloadWriter</c> called <c>output</c>; null is written as null, even if the type is not nullable.</summary>
    public static void Write(SourceWriter code, ValueModel value, string expression, string local)
    {
        if (IsDirect(value))
        {
            code.Line(value.Kind switch
            {
                ValueKind.Serialized => $"output.WriteSerialized<{value.Type}>({expression}, {WorkerSerializer});",
                ValueKind.Memory => $"output.WriteBase64({expression}.Span);",
                ValueKind.Scalar when value.IsNullable => $"{value.Codec}.Write(output, {expression}!);",
                _ => $"{value.Codec}.Write(output, {expression});",
            });
            return;
        }

        code.Block($"if ({expression} is {{ }} {local})", () => WritePresent(code, value, local));
        code.Block("else", () => WriteText(code, "null"));
    }

    /// <summary>Statements that write an object of members, each with its name, its value, and the condition without which it is left out.</summary>
    public static void WriteObject(SourceWriter code, IEnumerable<(string Name, ValueModel Value, string Expression, string Local, string? Condition)> members)
    {
        // What comes before the next name. A member that may be left out is followed by its comma, which the end of the object removes.
        var before = "{";
        foreach (var member in members)
        {
            if (member.Condition is null)
            {
                WriteName(code, before, member.Name);
                Write(code, member.Value, member.Expression, member.Local);
                before = ",";
                continue;
            }

            WriteText(code, before);
            code.Block($"if ({member.Condition})", () =>
            {
                WriteName(code, "", member.Name);
                Write(code, member.Value, member.Expression, member.Local);
                WriteText(code, ",");
            });
            code.Line();
            before = "";
        }

        if (before == "{")
        {
            WriteText(code, before);
        }

        code.Line("output.EndObject();");
    }

    private static void WriteName(SourceWriter code, string before, string name)
    {
        if (name.All(static character => character is >= ' ' and <= '~' and not ('"' or '\\')))
        {
            WriteText(code, $"{before}\"{name}\":");
            return;
        }

        // The framework's encoder decides what is escaped.
        WriteText(code, before);
        code.Line($"global::Weir.Runtime.Scalars.String.Write(output, {Quote(name)});");
        WriteText(code, ":");
    }

    private static void WriteText(SourceWriter code, string text)
    {
        if (text.Length > 0)
        {
            code.Line($"output.{(text[0] is '{' or '[' ? "Begin" : "Write")}({Quote(text)}u8);");
        }
    }

    // Generated classes and the serializer accept null themselves, and so does the scalar of text; for the others the code checks.
    private static bool IsDirect(ValueModel value) => value.Kind switch
    {
        ValueKind.Scalar => value.CoreType == "string" || (!value.IsNullable && value.IsValueType),
        ValueKind.Object => !value.IsValueType || !value.IsNullable,
        ValueKind.Memory => !value.IsNullable,
        ValueKind.Serialized => true,
        _ => false,
    };

    private static void WritePresent(SourceWriter code, ValueModel value, string local)
    {
        if (value.Kind == ValueKind.List)
        {
            WriteList(code, value, local);
        }
        else
        {
            Write(code, value with { IsNullable = false, IsValueType = true }, local, local);
        }
    }

    private static void WriteList(SourceWriter code, ValueModel value, string local)
    {
        WriteText(code, "[");
        // The word comes first: another member may have this one's name with a word behind it.
        code.Block($"foreach (var item_{local} in {local})", () =>
        {
            Write(code, value.Element!, "item_" + local, "present_" + local);
            WriteText(code, ",");
        });
        code.Line();
        code.Line("output.EndArray();");
    }

    private static string List(ValueModel value, string reader, string errors, int depth)
    {
        var element = value.Element!;
        var how = element is { Kind: ValueKind.Scalar, IsNullable: false } ? element.Codec : Reader(element, depth);
        var list = $"{Values}.ReadList<{element.Type}>(ref {reader}, {errors}, {how})";
        return value.IsArray ? $"({list}?.ToArray())!" : list + "!";
    }

    // The '!' is for lists of elements without annotations. default(T?) and not null: a type with an implicit conversion would convert the null.
    private static string OrNull(ValueModel value, string reader, string read) =>
        value.IsNullable ? $"({reader}.TokenType == global::System.Text.Json.JsonTokenType.Null ? default({value.Type}) : {read})!" : read;
}
