using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how the items of a streamed request arrive, and how they are sent elsewhere.</summary>
internal static class ItemsEmitter
{
    private const string Reader = "ref global::System.Text.Json.Utf8JsonReader reader, global::Weir.Runtime.BindingErrorList errors";

    public static void Write(SourceWriter code, ParameterModel items)
    {
        code.Line($"public override void TakeItems(global::Weir.Runtime.ItemReader items) => {items.Field} = ItemsCodec.Instance.Receive(items, {JsonCode.Quote(items.Name)});");
        code.Line();
        code.Line($"public override global::Weir.Runtime.ItemSource OpenItems(global::System.Threading.CancellationToken cancellationToken) => ItemsCodec.Instance.Send({items.Field}, cancellationToken);");
        code.Line();
        Codec(code, items);
        code.Line();
    }

    private static void Codec(SourceWriter code, ParameterModel items) => code.Block($"private sealed class ItemsCodec : global::Weir.Runtime.ItemCodec<{items.Value.Type}>", () =>
    {
        var item = items.Value;
        code.Line("internal static readonly ItemsCodec Instance = new();");
        code.Line();
        if (item.IsBytes)
        {
            Bytes(code, item);
        }
        else
        {
            code.Block($"public override void Write(global::Weir.Runtime.PayloadWriter output, {item.Type} item)", () => JsonCode.Write(code, item, "item", "present"));
        }

        code.Line();
        code.Line($"protected override {item.Type} Read({Reader}) =>");
        code.Line($"    {JsonCode.Read(item)};");
        ValidationEmitter.Item(code, items);
    });

    // Bytes are sent raw to a worker, except null, which has no raw form.
    private static void Bytes(SourceWriter code, ValueModel item)
    {
        const string Null = "item is null";
        var canBeNull = item.IsNullable || !item.IsValueType;
        var bytes = item.Kind == ValueKind.Memory ? item.IsNullable ? "item.GetValueOrDefault().Span" : "item.Span" : "item";
        code.Line($"public override global::Weir.Runtime.ResultEncoding EncodingOf({item.Type} item) => {(canBeNull ? Null + " ? global::Weir.Runtime.ResultEncoding.Json : " : "")}global::Weir.Runtime.ResultEncoding.Raw;");
        code.Line();
        code.Line($"public override void Write(global::Weir.Runtime.PayloadWriter output, {item.Type} item) =>");
        code.Line($"    global::Weir.Runtime.PayloadReader.WriteBytes(output, {bytes}, {(canBeNull ? Null : "false")}, EncodingOf(item{(canBeNull && !item.IsNullable ? "!" : "")}));");
        code.Line();
        code.Line($"protected override {item.Type} ReadRaw(global::System.ReadOnlySpan<byte> item, global::Weir.Runtime.BindingErrorList errors) => item.ToArray();");
    }
}
