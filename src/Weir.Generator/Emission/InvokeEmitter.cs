using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how the method runs.</summary>
internal sealed class InvokeEmitter(SourceWriter code, ServiceModel service, OperationModel operation)
{
    private const string Header = "public override global::System.Threading.Tasks.ValueTask InvokeAsync(object service, global::System.Threading.CancellationToken cancellationToken)";

    public void Write()
    {
        var call = Call();
        var value = operation.IsBridged ? call + "!" : call;
        switch (operation.Result)
        {
            case { Shape: MethodShape.ValueTask, Value: null }:
                Expression(call);
                break;
            case { Shape: MethodShape.Task, Value: null }:
                Expression($"new global::System.Threading.Tasks.ValueTask({call})");
                break;
            case { Shape: MethodShape.Task or MethodShape.ValueTask }:
                Expression($"Await({value})");
                break;
            case { Shape: MethodShape.AsyncStream }:
                Statement($"Yield({value}, cancellationToken);");
                break;
            case { Shape: MethodShape.Channel }:
                Statement($"Yield({value}.ReadAllAsync(cancellationToken), cancellationToken);");
                break;
            case { Shape: MethodShape.BlockingStream }:
                Statement($"Yield({value});");
                break;
            case { Value: null }:
                Statement($"{call};");
                break;
            default:
                Statement($"Value = {value};");
                break;
        }
    }

    private void Expression(string expression)
    {
        code.Line(Header + " =>");
        code.Line($"    {expression};");
    }

    private void Statement(string statement) => code.Block(Header, () =>
    {
        code.Line(statement);
        code.Line("return default;");
    });

    private string Call() => $"(({operation.Receiver})service).{operation.Method}({string.Join(", ", operation.Arguments.Select(Argument))})";

    private string Assigned(ArgumentModel group)
    {
        var properties = group.Members.Where(static one => one.Property is not null).Select(one => $"{one.Property} = {Argument(one)}").ToList();
        return properties.Count == 0 ? "" : $" {{ {string.Join(", ", properties)} }}";
    }

    private string Argument(ArgumentModel argument) => argument.Role switch
    {
        ArgumentRole.Token => "cancellationToken",
        ArgumentRole.Context => "Context!",
        ArgumentRole.Items => $"Items({(operation.IsBridged ? argument.Field! + "!" : argument.Field!)}, cancellationToken)",
        ArgumentRole.Group => $"new {argument.Field}({string.Join(", ", argument.Members.Where(static one => one.Property is null).Select(Argument))}){Assigned(argument)}",
        ArgumentRole.Http => argument.Field!,
        ArgumentRole.Caller => "User()",
        ArgumentRole.Service => ServiceEmitter.Injection(argument.Service!, "Context!.Services", $"{service.Name}/{operation.Name}"),
        _ => operation.IsBridged ? argument.Field! + "!" : argument.Field!,
    };
}
