namespace Weir.Execution.Pipeline;

/// <summary>The filters of one operation in the order in which they run: one stable sort by Order over global, service, operation.</summary>
internal sealed class FilterChain
{
    private readonly IOperationFilter[] _filters;

    internal FilterChain(IEnumerable<IOperationFilter> global, Operation operation) =>
        _filters = [.. global.Concat(operation.Filters).OrderBy(static filter => filter.Order)];

    internal bool IsEmpty => _filters.Length == 0;

    /// <summary>Runs the filters, outermost first, around <paramref name="run"/>.</summary>
    internal ValueTask RunAsync(OperationContext context, Func<ValueTask> run) => Next(0, context, run);

    private ValueTask Next(int index, OperationContext context, Func<ValueTask> run) =>
        index == _filters.Length ? run() : _filters[index].InvokeAsync(context, () => Next(index + 1, context, run));
}
