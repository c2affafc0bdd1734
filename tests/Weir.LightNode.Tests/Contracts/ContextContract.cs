namespace Weir.LightNode.Tests.Contracts;

/// <summary>What an operation may know of its call.</summary>
[Get]
public abstract class ContextOperations
{
    public string Describe(int x, OperationContext context, string y = "why") =>
        $"{context.Operation} {context.Operation.Service.Name} {context.Operation.Name} {string.Join(',', context.Operation.Parameters.Select(static one => one.Name))} "
        + $"{context.GetArgument("x")},{context.GetArgument("y")} {(context.Items.TryGetValue("from", out var from) ? from : "nothing")} {(context.Deadline is null ? "endless" : "limited")}";

    public async Task<string> Wait(OperationContext context)
    {
        await Task.Delay(Timeout.InfiniteTimeSpan, context.CancellationToken);
        return "endless";
    }
}

[Service]
public sealed class ContextContract : ContextOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedContextContract : ContextOperations;
