using System.Globalization;
using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the scalar of an enum.</summary>
internal static class EnumEmitter
{
    private const int MostExpected = 20;

    /// <summary>Writes the scalar of a server or worker; of a client if <paramref name="isClient"/>, which knows a fallback for names of newer servers.</summary>
    public static void Write(SourceWriter code, EnumModel model, bool isClient = false)
    {
        code.Block($"internal sealed class {model.Codec} : global::Weir.Runtime.{(isClient ? "ClientEnum" : "EnumScalar")}<{model.Type}>", () =>
        {
            code.Line($"internal static readonly {model.Codec} Instance = new();");
            code.Line();
            code.Line($"public override string Expected => {JsonCode.Quote(Expected(model))};");
            code.Line();
            if (isClient && model.Fallback is { } fallback)
            {
                code.Line($"protected override long? Fallback => {Literal(fallback)};");
                code.Line();
            }

            Flags(code, model);
            code.Block("protected override bool TryGetBits(global::System.ReadOnlySpan<char> name, out long bits)", () => TryGetBits(code, model, isClient));
            code.Line();
            code.Block("protected override string? GetName(long bits) => bits switch", () => GetName(code, model), "};");
            code.Line();
            code.Line($"protected override {model.Type} FromBits(long bits) => unchecked(({model.Type})bits);");
            code.Line();
            code.Line($"protected override long ToBits({model.Type} value) => unchecked((long)value);");
        });
    }

    private static void Flags(SourceWriter code, EnumModel model)
    {
        if (model.IsUnsigned64)
        {
            code.Line("protected override bool IsUnsigned64 => true;");
            code.Line();
        }

        if (model.IsFlags)
        {
            var bits = model.Names.Select(static name => name.Bits).Distinct().Where(static one => one != 0).OrderByDescending(static one => unchecked((ulong)one));
            code.Line("protected override bool IsFlags => true;");
            code.Line();
            code.Line($"protected override global::System.ReadOnlySpan<long> FlagBits => new long[] {{ {string.Join(", ", bits.Select(Literal))} }};");
            code.Line();
        }
    }

    // Names that differ only in case are matched exactly first; otherwise the first one is taken.
    private static void TryGetBits(SourceWriter code, EnumModel model, bool isClient)
    {
        var groups = model.Names.GroupBy(static name => name.Name, StringComparer.OrdinalIgnoreCase).ToList();
        foreach (var name in groups.SelectMany(static group => group.Skip(1)))
        {
            Match(code, name, "Ordinal", isClient);
        }

        foreach (var group in groups)
        {
            if (group.Skip(1).Any())
            {
                Match(code, group.First(), "Ordinal", isClient);
            }

            Match(code, group.First(), "OrdinalIgnoreCase", isClient);
        }

        code.Line("bits = 0;");
        code.Line("return false;");
    }

    // Text is no span of characters by itself in the C# and the framework of the oldest clients.
    private static void Match(SourceWriter code, EnumNameModel name, string comparison, bool isClient)
    {
        var text = isClient ? $"global::System.MemoryExtensions.AsSpan({JsonCode.Quote(name.Name)})" : JsonCode.Quote(name.Name);
        code.Block($"if (global::System.MemoryExtensions.Equals(name, {text}, global::System.StringComparison.{comparison}))", () =>
        {
            code.Line($"bits = {Literal(name.Bits)};");
            code.Line("return true;");
        });
        code.Line();
    }

    private static void GetName(SourceWriter code, EnumModel model)
    {
        foreach (var alias in model.Names.GroupBy(static name => name.Bits))
        {
            code.Line($"{Literal(alias.Key)} => {JsonCode.Quote(alias.First().Name)},");
        }

        code.Line("_ => null,");
    }

    private static string Expected(EnumModel model)
    {
        var names = model.Names.Select(static name => name.Name).ToList();
        var text = names.Count switch
        {
            0 => "no value: the enum declares none",
            1 => names[0],
            > MostExpected => string.Join(", ", names.Take(MostExpected)) + ", …",
            _ => $"{string.Join(", ", names.Take(names.Count - 1))} or {names[names.Count - 1]}",
        };
        return model.IsFlags ? text + ", or several joined by commas" : text;
    }

    private static string Literal(long bits) =>
        bits == long.MinValue ? "long.MinValue" : bits.ToString(CultureInfo.InvariantCulture) + "L";
}
