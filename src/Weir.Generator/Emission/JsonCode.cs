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

    /// <summary>Statements that write a value; null is written as null, even if the type is not nullable.</summary>
    public static void Write(SourceWriter code, ValueModel value, string expression, string writer = "writer", string local = "value")
    {
        if (IsDirect(value))
        {
            code.Line(value.Kind switch
            {
                ValueKind.Serialized => $"{WorkerSerializer}.Write<{value.Type}>({writer}, {expression});",
                ValueKind.Memory => $"{writer}.WriteBase64StringValue({expression}.Span);",
                _ => $"{value.Codec}.Write({writer}, {expression});",
            });
            return;
        }

        code.Block($"if ({expression} is {{ }} {local})", () => WritePresent(code, value, local, writer));
        code.Block("else", () => code.Line($"{writer}.WriteNullValue();"));
    }

    // Generated classes and the serializer accept null themselves, and so does the scalar of text; for the others the code checks.
    private static bool IsDirect(ValueModel value) => value.Kind switch
    {
        ValueKind.Scalar => !value.IsNullable && (value.IsValueType || value.CoreType == "string"),
        ValueKind.Object => !value.IsValueType || !value.IsNullable,
        ValueKind.Memory => !value.IsNullable,
        ValueKind.Serialized => true,
        _ => false,
    };

    private static void WritePresent(SourceWriter code, ValueModel value, string local, string writer)
    {
        if (value.Kind == ValueKind.List)
        {
            WriteList(code, value, local, writer);
        }
        else
        {
            Write(code, value with { IsNullable = false, IsValueType = true }, local, writer);
        }
    }

    private static void WriteList(SourceWriter code, ValueModel value, string local, string writer)
    {
        code.Line($"{writer}.WriteStartArray();");
        code.Block($"foreach (var {local}_item in {local})", () => Write(code, value.Element!, local + "_item", writer, local + "_present"));
        code.Line();
        code.Line($"{writer}.WriteEndArray();");
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
