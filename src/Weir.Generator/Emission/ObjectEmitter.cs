using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the class that reads and writes an exchanged type as a JSON object.</summary>
internal static class ObjectEmitter
{
    private const string Reader = "ref global::System.Text.Json.Utf8JsonReader reader, global::Weir.Runtime.BindingErrorList errors";

    public static void Write(SourceWriter code, ObjectModel model)
    {
        code.Block($"internal static class {model.Codec}", () =>
        {
            code.Block($"internal static {model.Type} Read({Reader})", () => new ObjectReadEmitter(code, model).Write());
            code.Line();
            code.Line($"internal static {model.Type}? ReadOrNull({Reader}) =>");
            code.Line($"    reader.TokenType == global::System.Text.Json.JsonTokenType.Null ? default({model.Type}?) : Read(ref reader, errors);");
            code.Line();
            var nullable = model.IsValueType ? "" : "?";
            code.Block($"internal static void Write(global::Weir.Runtime.PayloadWriter output, {model.Type}{nullable} value)", () => WriteObject(code, model));
            foreach (var member in model.Members)
            {
                AccessorEmitter.Write(code, member);
            }
        });
    }

    private static void WriteObject(SourceWriter code, ObjectModel model)
    {
        if (!model.IsValueType)
        {
            code.Block("if (value is null)", () =>
            {
                code.Line("output.Write(\"null\"u8);");
                code.Line("return;");
            });
            code.Line();
        }

        JsonCode.WriteObject(code, model.Members.Where(static member => member.Condition != WriteCondition.Never)
            .Select(static member => (member.JsonName, member.Written, "value." + Naming.Escape(member.Property), "of_" + member.Property, Condition(member))));
    }

    private static string? Condition(MemberModel member)
    {
        var property = "value." + Naming.Escape(member.Property);
        return member.Condition switch
        {
            WriteCondition.NotNull => member.Written is { IsValueType: true, IsNullable: false } ? null : $"{property} is not null",
            WriteCondition.NotDefault => $"!global::System.Collections.Generic.EqualityComparer<{member.Written.Type}>.Default.Equals({property}, default!)",
            _ => null,
        };
    }
}
