using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the call of one operation: its arguments, how they are bound and sent, how the method runs, how the result is written.</summary>
internal sealed class CallEmitter(SourceWriter code, ServiceModel service, OperationModel operation)
{
    public void Write()
    {
        code.Block($"internal sealed class {operation.Identifier}Call(global::Weir.Operation operation) : {Base()}(operation)", () =>
        {
            foreach (var parameter in operation.Parameters)
            {
                code.Line($"internal {parameter.Type} {parameter.Field}{Initial(parameter)};");
            }

            foreach (var parameter in Kept)
            {
                var value = parameter.Value.Element ?? parameter.Value;
                code.Line($"private readonly global::Weir.Runtime.ParsedTexts<{value.CoreType}> {parameter.Texts} = new({value.Codec});");
            }

            if (operation.Parameters.Count > 0)
            {
                code.Line();
            }

            new BindEmitter(code, operation.Parameters, KeepsTexts) { Content = operation.Content }.Write();
            code.Line();
            ValidationEmitter.Arguments(code, operation);
            ArgumentsEmitter.Write(code, operation.Parameters, KeepsTexts);
            code.Line();
            FilterEmitter.Arguments(code, operation.Parameters, KeepsTexts);
            ClearArguments();
            if (operation.Items is { } items)
            {
                ItemsEmitter.Write(code, items);
            }

            if (operation.Content is { } content)
            {
                ContentEmitter.Write(code, content);
            }

            new InvokeEmitter(code, service, operation).Write();
            ResultEmitter.Write(code, operation.Result);
        });
    }

    // Only what goes to a worker is written again.
    private bool KeepsTexts => operation.Placement == "Isolated";

    private IEnumerable<ParameterModel> Kept => operation.Parameters.Where(one => KeepsTexts && one.Value.KeepsText);

    // Numbers and similar values refer to nothing.
    private void ClearArguments()
    {
        var fields = operation.Parameters.Where(static one => one.IsItems || one.Value is not { Kind: ValueKind.Scalar, IsValueType: true }).ToList();
        if ((fields.Count == 0 && !Kept.Any()) || operation.Result.IsStream)
        {
            return;
        }

        code.Block("protected override void ClearArguments()", () =>
        {
            foreach (var parameter in fields)
            {
                code.Line($"{parameter.Field} = default!;");
            }

            if (operation.Content is { } content)
            {
                ContentEmitter.Clear(code, content);
            }

            foreach (var parameter in Kept)
            {
                code.Line($"{parameter.Texts}.Clear();");
            }
        });
        code.Line();
    }

    private string Base() => operation.Result switch
    {
        { Value: null } => "global::Weir.Runtime.VoidCall",
        { IsStream: true, Value: var item } => $"global::Weir.Runtime.StreamCall<{item.Type}>",
        { Value: var value } => $"global::Weir.Runtime.Call<{value.Type}>",
    };

    private static string Initial(ParameterModel parameter) =>
        parameter.IsTextList && !parameter.Value.IsNullable ? " = []" : !parameter.IsItems && (parameter.Value.IsNullable || parameter.Value.IsValueType) ? "" : " = null!";
}
