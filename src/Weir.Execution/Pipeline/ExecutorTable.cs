namespace Weir.Execution.Pipeline;

/// <summary>Which executor runs which operation; fixed when the application starts.</summary>
/// <param name="rows">Not changed any more. No frozen dictionary: creating one takes milliseconds at start and makes no lookup faster.</param>
internal sealed class ExecutorTable(Dictionary<Operation, ExecutorTable.Row> rows)
{
    // A class: the runtime would compile a dictionary of structs at start.
    internal sealed record Row(IExecutor Executor, FilterChain Filters);

    internal Row this[Operation operation] => rows.TryGetValue(operation, out var row)
        ? row
        : throw new InvalidOperationException($"{operation} is not in the application's catalogs; pass its catalog to AddWeir.");
}
