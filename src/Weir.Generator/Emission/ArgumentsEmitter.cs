using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how the arguments are sent to a worker: one JSON object for the values, bytes beside it.</summary>
internal static class ArgumentsEmitter
{
    /// <param name="code">Where it is written.</param>
    /// <param name="parameters">The operation's.</param>
    /// <param name="keepsTexts">Whether the call has the texts that arguments were parsed from.</param>
    public static void Write(SourceWriter code, EquatableArray<ParameterModel> parameters, bool keepsTexts)
    {
        code.Block("public override void WriteArguments(global::Weir.Runtime.ArgumentWriter writer)", () =>
        {
            for (var index = 0; index < parameters.Count; index++)
            {
                if (parameters[index].IsRaw)
                {
                    Raw(code, parameters[index], index);
                }
            }

            var values = parameters.Where(static one => one.IsValue).ToList();
            if (values.Count == 0)
            {
                return;
            }

            code.Line("var output = writer.Values;");
            foreach (var parameter in values.Where(one => keepsTexts && one.Value.KeepsText))
            {
                code.Line($"{parameter.Texts}.Restart();");
            }

            JsonCode.WriteObject(code, values.Select(one => (one.Name, keepsTexts && one.Value.KeepsText ? Kept(one) : one.Value, one.Field, "of_" + one.Name, default(string))));
        });
    }

    // The texts write the value.
    private static ValueModel Kept(ParameterModel parameter) =>
        parameter.Value.Element is { } element ? parameter.Value with { Element = element with { Codec = parameter.Texts } } : parameter.Value with { Codec = parameter.Texts };

    private static void Raw(SourceWriter code, ParameterModel parameter, int index)
    {
        if (parameter.Value.IsNullable || !parameter.Value.IsValueType)
        {
            code.Block($"if ({parameter.Field} is {{ }} raw)", () => code.Line($"writer.AddRaw({index}, raw);"));
            code.Line();
        }
        else
        {
            code.Line($"writer.AddRaw({index}, {parameter.Field});");
        }
    }
}
