namespace Weir.Execution.Pipeline;

/// <summary>A filter that was given as a lambda.</summary>
internal sealed class DelegateFilter(Func<OperationContext, Func<ValueTask>, ValueTask> filter, int order) : IOperationFilter
{
    public int Order => order;

    public ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => filter(context, next);
}
