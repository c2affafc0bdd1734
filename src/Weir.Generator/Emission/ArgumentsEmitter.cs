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

            code.Line("var output = writer.Values;");
            JsonCode.WriteObject(code, values.Select(static one => (one.Name, one.Value, one.Field, "of_" + one.Name, default(string))));
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
}
