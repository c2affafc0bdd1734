using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how a result, or an item of a stream, is encoded and decoded.</summary>
internal static class ResultEmitter
{
    private const string Payload = "global::System.ReadOnlySpan<byte> payload, global::Weir.Runtime.ResultEncoding encoding";

    public static void Write(SourceWriter code, ResultModel result)
    {
        if (result.Value is not { } value)
        {
            return;
        }

        code.Line();
        if (value.Kind == ValueKind.Opaque)
        {
            code.Line($"protected override void Encode(global::Weir.Runtime.PayloadWriter output, {value.Type} value, global::Weir.Runtime.ResultEncoding encoding) => throw IsHostOnly();");
            code.Line();
            code.Line($"protected override {value.Type} Decode({Payload}) => throw IsHostOnly();");
            return;
        }

        if (result.IsStream)
        {
            code.Block($"public override void WriteItem(global::Weir.Runtime.PayloadWriter output, {value.Type} item)", () => JsonCode.Write(code, value, "item", "present"));
            code.Line();
            if (result.IsByteStream)
            {
                code.Line($"public override void WriteRawItem(global::Weir.Runtime.PayloadWriter output, {value.Type} item) => output.Write({(value.Kind == ValueKind.Memory ? "item.Span" : "item")});");
                code.Line();
            }

            code.Line($"public override {value.Type} ReadItem(global::System.ReadOnlySpan<byte> item) =>");
            code.Line($"    {Read(value, "item")};");
            return;
        }

        code.Block($"protected override void Encode(global::Weir.Runtime.PayloadWriter output, {value.Type} value, global::Weir.Runtime.ResultEncoding encoding)", () => Encode(code, result.Kind, value));
        code.Line();
        code.Line($"protected override {value.Type} Decode({Payload}) =>");
        code.Line($"    {Decode(result.Kind, value)};");
    }

    private static void Encode(SourceWriter code, string kind, ValueModel value)
    {
        switch (kind)
        {
            case "Text":
                code.Line("global::Weir.Runtime.PayloadReader.WriteText(output, value, encoding);");
                break;
            case "Bytes" when value is { Kind: ValueKind.Memory, IsNullable: true }:
                code.Line("global::Weir.Runtime.PayloadReader.WriteBytes(output, value.GetValueOrDefault().Span, !value.HasValue, encoding);");
                break;
            case "Bytes" when value.Kind == ValueKind.Memory:
                code.Line("global::Weir.Runtime.PayloadReader.WriteBytes(output, value.Span, false, encoding);");
                break;
            case "Bytes":
                code.Line("global::Weir.Runtime.PayloadReader.WriteBytes(output, value, value is null, encoding);");
                break;
            default:
                JsonCode.Write(code, value, "value", "present");
                break;
        }
    }

    private static string Decode(string kind, ValueModel value) => kind switch
    {
        "Text" => "global::Weir.Runtime.PayloadReader.ReadText(payload, encoding)!",
        "Bytes" when value is { Kind: ValueKind.Memory, IsNullable: true } =>
            "global::Weir.Runtime.PayloadReader.ReadBytes(payload, encoding) is { } bytes ? (global::System.ReadOnlyMemory<byte>?)bytes : null",
        "Bytes" => "global::Weir.Runtime.PayloadReader.ReadBytes(payload, encoding)!",
        _ => Read(value, "payload"),
    };

    private static string Read(ValueModel value, string payload) =>
        value is { Kind: ValueKind.Scalar, IsNullable: false }
            ? $"global::Weir.Runtime.PayloadReader.Read({payload}, {value.Codec})"
            : $"global::Weir.Runtime.PayloadReader.Read<{value.Type}>({payload}, {JsonCode.Reader(value)})";
}
