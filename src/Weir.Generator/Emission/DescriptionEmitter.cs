using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes what documents and tools show of a service, in a method that no worker runs.</summary>
internal static class DescriptionEmitter
{
    public static void Write(SourceWriter code, ServiceModel service)
    {
        code.Block("Describe = static () => new global::Weir.ServiceDescription", () =>
        {
            Text(code, "Summary", service.Documentation?.Summary);
            if (service.IsServedOverHttp)
            {
                code.Line($"Contract = {ContractEmitter.Constant},");
            }

            code.Block("Operations = new global::Weir.OperationDescription[]", () =>
            {
                foreach (var operation in service.Operations)
                {
                    code.Block("new()", () => Operation(code, operation), "},");
                }
            }, "},");
            if (service.Enums.Count > 0)
            {
                code.Block("Enums = new global::Weir.EnumDescription[]", () =>
                {
                    foreach (var one in service.Enums)
                    {
                        var names = one.Names.GroupBy(static name => name.Bits).Select(static alias => JsonCode.Quote(alias.First().Name));
                        code.Line($"new(typeof({one.Type}), new string[] {{ {string.Join(", ", names)} }}, {(one.IsFlags ? "true" : "false")}),");
                    }
                }, "},");
            }
        }, "},");
    }

    private static void Operation(SourceWriter code, OperationModel operation)
    {
        if (operation.Result.Value is { } result)
        {
            var type = result.IsValueType ? result.Type : result.CoreType;
            code.Line($"Result = typeof({type}{(operation.Result.IsStream ? "[]" : "")}),");
            if (operation.Result.IsStream)
            {
                code.Line($"Item = typeof({type}),");
            }

            Text(code, "ResultName", result.Display);
        }

        if (operation.Documentation is not { } documentation)
        {
            return;
        }

        Text(code, "Summary", documentation.Summary);
        Text(code, "Remarks", documentation.Remarks);
        Text(code, "Returns", documentation.Returns);
        if (documentation.Parameters.Count > 0)
        {
            code.Block("Parameters = new global::System.Collections.Generic.Dictionary<string, string>", () =>
            {
                foreach (var parameter in documentation.Parameters.GroupBy(static one => one.Name, StringComparer.Ordinal))
                {
                    code.Line($"[{JsonCode.Quote(parameter.Key)}] = {JsonCode.Quote(parameter.First().Text)},");
                }
            }, "},");
        }
    }

    private static void Text(SourceWriter code, string property, string? text)
    {
        if (text is not null)
        {
            code.Line($"{property} = {JsonCode.Quote(text)},");
        }
    }
}
