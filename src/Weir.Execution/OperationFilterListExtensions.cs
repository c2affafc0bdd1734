using Weir.Execution.Pipeline;

namespace Weir;

/// <summary>Adds filters that need no class to <see cref="WeirOptions.Filters"/>.</summary>
public static class OperationFilterListExtensions
{
    /// <summary>Adds a filter around every operation.</summary>
    /// <param name="filters">The options' filters.</param>
    /// <param name="filter">Runs around every call; see <see cref="IOperationFilter.InvokeAsync"/>. Called concurrently.</param>
    /// <param name="order">The place among the filters, lowest outermost. Default <see cref="int.MaxValue"/>.</param>
    public static void Add(this IList<IOperationFilter> filters, Func<OperationContext, Func<ValueTask>, ValueTask> filter, int order = int.MaxValue)
    {
        ArgumentNullException.ThrowIfNull(filters);
        ArgumentNullException.ThrowIfNull(filter);
        filters.Add(new DelegateFilter(filter, order));
    }
}
