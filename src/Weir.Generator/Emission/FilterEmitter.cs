using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes what only filters use: the arguments by position, and a method that shows their factories the operation's signature.</summary>
internal static class FilterEmitter
{
    /// <summary>The class with the declaration of one operation's method.</summary>
    public static string MethodClass(OperationModel operation) => operation.Identifier + "Declaration";

    /// <summary>For each parameter of the method its position among those that callers supply, or -1; <c>null</c> where they are the same.</summary>
    public static string? Positions(OperationModel operation)
    {
        var parameters = operation.Parameters.ToList();
        var positions = operation.Arguments.Select(argument => parameters.FindIndex(one => one.Field == argument.Field)).ToList();
        return positions.SequenceEqual(Enumerable.Range(0, parameters.Count)) ? null : string.Join(", ", positions);
    }

    /// <summary>The arguments, in the class of the call.</summary>
    public static void Arguments(SourceWriter code, EquatableArray<ParameterModel> parameters, bool keepsTexts)
    {
        if (parameters.Count == 0)
        {
            return;
        }

        code.Block("public override object? GetArgument(int index) => index switch", () =>
        {
            for (var index = 0; index < parameters.Count; index++)
            {
                code.Line($"{index} => {parameters[index].Field},");
            }

            code.Line("_ => base.GetArgument(index),");
        }, "};");
        code.Line();
        code.Block("public override void SetArgument(int index, object? value)", () => code.Block("switch (index)", () =>
        {
            for (var index = 0; index < parameters.Count; index++)
            {
                code.Line($"case {index}: {parameters[index].Field} = ({parameters[index].Type})value!; {(keepsTexts && parameters[index].Value.KeepsText ? parameters[index].Texts + ".Clear(); " : "")}break;");
            }

            code.Line("default: base.SetArgument(index, value); break;");
        }));
        code.Line();
    }

    /// <summary>The declaration of the method.</summary>
    public static void Method(SourceWriter code, OperationModel operation, MethodModel method)
    {
        code.Block($"internal static class {MethodClass(operation)}", () =>
        {
            foreach (var attribute in method.Attributes)
            {
                code.Line(attribute);
            }

            code.Line($"internal static {method.ReturnType} {method.Name}({string.Join(", ", method.Parameters)}) => throw new global::System.NotSupportedException();");
        });
    }
}
