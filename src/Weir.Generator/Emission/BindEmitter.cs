using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the binder: it reads one named argument after the other, then reports the missing ones.</summary>
internal sealed class BindEmitter(SourceWriter code, EquatableArray<ParameterModel> parameters, bool keepsTexts)
{
    /// <summary>The parameter that arrives piece by piece, which is not bound; <c>null</c> for most operations.</summary>
    public ParameterModel? Content { get; init; }

    public void Write()
    {
        code.Block("public override void Bind(global::Weir.Runtime.ArgumentReader reader)", () =>
        {
            if (parameters.All(static one => one.IsAttached))
            {
                code.Block("while (reader.MoveNext())", () => code.Line("reader.SkipUnknown();"));
                foreach (var parameter in parameters)
                {
                    Attached(parameter);
                }

                return;
            }

            if (parameters.Any(static one => !one.IsItems && !one.IsAttached))
            {
                code.Line("var seen = 0UL;");
            }

            foreach (var parameter in parameters.Where(KeepsText))
            {
                code.Line($"{parameter.Texts}.Clear();");
            }

            foreach (var parameter in parameters.Where(static one => one.IsTextList))
            {
                code.Line($"global::System.Collections.Generic.List<{parameter.Value.Element!.Type}>? {Elements(parameter)} = null;");
            }

            if (parameters.Any(static one => one.Validation is not null))
            {
                code.Line($"reader.ForgetSources({parameters.Count});");
            }

            code.Block("while (reader.MoveNext())", Arguments);
            for (var index = 0; index < parameters.Count; index++)
            {
                if (parameters[index].IsAttached)
                {
                    Attached(parameters[index]);
                }
                else if (!parameters[index].IsItems)
                {
                    code.Line();
                    Absent(parameters[index], index);
                }
            }
        });
    }

    private void Arguments()
    {
        var keyword = "if";
        for (var index = 0; index < parameters.Count; index++)
        {
            var (parameter, bit) = (parameters[index], index);
            if (parameter.IsAttached)
            {
                continue;
            }

            code.Block($"{keyword} ({Is(parameter)})", () =>
            {
                if (parameter.IsItems)
                {
                    code.Line($"reader.RefuseItems({Name(parameter)});");
                    return;
                }

                code.Block($"if (reader.Begin(ref seen, {bit}, {Name(parameter)}{(parameter.IsTextList ? ", repeatable: true" : "")}))", () =>
                {
                    code.Line(Read(parameter) + ";");
                    code.Line($"reader.End(ref seen, {bit}, optional: {(parameter.IsOptional ? "true" : "false")});");
                });
            });
            keyword = "else if";
        }

        code.Block("else", () => code.Line("reader.SkipUnknown();"));
    }

    private void Attached(ParameterModel parameter)
    {
        if (parameter == Content)
        {
            return;
        }

        code.Line($"{parameter.Field} = reader.Attached<{parameter.Value.CoreType}>({Name(parameter)})!;");
        if (parameter is { IsOptional: false, Source: "File" })
        {
            code.Block($"if ({parameter.Field} is null)", () => code.Line($"reader.Missing({Name(parameter)}, \"a file of a multipart form\", {Source(parameter)});"));
        }
    }

    private bool KeepsText(ParameterModel parameter) => keepsTexts && parameter is { IsValue: true, Value.KeepsText: true };

    private string Read(ParameterModel parameter)
    {
        var value = parameter.Value;
        var texts = KeepsText(parameter) ? ", texts: " + parameter.Texts : "";
        if (parameter.IsTextList)
        {
            var element = value.Element!;
            var how = !element.IsNullable ? "ReadElements" : element.IsValueType ? "ReadNullableElements" : "ReadElementsOrNull";
            return $"reader.{how}(ref {Elements(parameter)}, {element.Codec}{(value.IsNullable ? ", orNull: true" : "")}{texts})";
        }

        return $"{parameter.Field} = " + value switch
        {
            { IsBytes: true, Kind: ValueKind.Memory } => "reader.ReadBytes()",
            { IsBytes: true } => "reader.ReadBytes().ToArray()",
            { Kind: ValueKind.Scalar, IsNullable: false } => $"reader.Read({value.Codec}{texts})",
            { Kind: ValueKind.Scalar, IsValueType: true } => $"reader.ReadNullable({value.Codec}{texts})",
            { Kind: ValueKind.Scalar } => $"reader.ReadOrNull({value.Codec}{texts})",
            _ => $"reader.ReadJson<{value.Type}>({JsonCode.Reader(value)})",
        };
    }

    private void Absent(ParameterModel parameter, int index)
    {
        if (parameter.IsTextList)
        {
            AbsentElements(parameter, index);
            return;
        }

        var action = (parameter.Default ?? parameter.Initial) is { } value
            ? $"{parameter.Field} = {value};"
            : parameter.IsOptional
                ? $"{parameter.Field} = null;"
                : $"reader.Missing({Name(parameter)}, {(parameter.IsRaw ? "\"bytes as the request's body\"" : JsonCode.Expected(parameter.Value))}{(parameter.IsMarked ? ", " + Source(parameter) : "")});";
        code.Block($"if ((seen & {1UL << index}UL) == 0)", () => code.Line(action));
    }

    // A list that is absent is null where null is allowed. Otherwise the reader decides whether that is an error; params may be omitted.
    private void AbsentElements(ParameterModel parameter, int index)
    {
        var isAbsent = $"(seen & {1UL << index}UL) == 0";
        if (parameter.Initial is not null)
        {
            code.Line($"{parameter.Field} = {isAbsent} ? {parameter.Initial} : {(parameter.Value.IsArray ? $"({Elements(parameter)}?.ToArray())" : Elements(parameter))}!;");
            return;
        }

        if (parameter is { IsParams: false, Value.IsNullable: false, Source: "Body" })
        {
            code.Block($"if ({isAbsent})", () => code.Line($"reader.Missing({Name(parameter)}, {JsonCode.Expected(parameter.Value)}, {Source(parameter)});"));
            code.Line();
        }
        else if (parameter is { IsParams: false, Value.IsNullable: false, IsMarked: false })
        {
            code.Block($"if ({isAbsent})", () => code.Line($"reader.MissingList({Name(parameter)}, {JsonCode.Expected(parameter.Value)});"));
            code.Line();
        }

        var elements = parameter.Value.IsArray ? $"({Elements(parameter)}?.ToArray())" : Elements(parameter);
        code.Line($"{parameter.Field} = {(parameter.Value.IsNullable ? $"({isAbsent} ? null : {elements})!" : $"{isAbsent} ? [] : {elements}!")};");
    }

    private static string Is(ParameterModel parameter) => parameter.IsMarked
        ? $"reader.Is({JsonCode.Quote(parameter.Name)}, {JsonCode.Quote(parameter.WireName)}, {Source(parameter)})"
        : $"reader.Is({JsonCode.Quote(parameter.Name)})";

    // As callers write it: binding errors are for them.
    private static string Name(ParameterModel parameter) => JsonCode.Quote(parameter.WireName);

    private static string Source(ParameterModel parameter) => "global::Weir.ParameterSource." + parameter.Source;

    private static string Elements(ParameterModel parameter) => "elements_" + parameter.Name;
}
