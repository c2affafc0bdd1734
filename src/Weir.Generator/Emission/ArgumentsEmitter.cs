using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how the arguments are sent to a worker: one JSON object for the values, bytes beside it.</summary>
internal static class ArgumentsEmitter
{
    public static void Write(SourceWriter code, EquatableArray<ParameterModel> parameters)
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

            code.Line("var json = writer.Values.BeginJson();");
            code.Line("json.WriteStartObject();");
            foreach (var parameter in values)
            {
                Value(code, parameter);
            }

            code.Line("json.WriteEndObject();");
            code.Line("writer.Values.EndJson();");
        });
    }

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

    private static void Value(SourceWriter code, ParameterModel parameter)
    {
        code.Line($"json.WritePropertyName({JsonCode.Quote(parameter.Name)}u8);");
        JsonCode.Write(code, parameter.Value, parameter.Field, "json", "of_" + parameter.Name);
    }
}
