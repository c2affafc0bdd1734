namespace Weir;

/// <summary>
/// Wraps operations: on a method, on a class, or added to the options for every operation. All filters of a call are
/// sorted once, ascending and stably, by <see cref="Order"/>; ties run global, then service, then operation. A filter without an attribute is an
/// <see cref="IOperationFilter"/>.
/// </summary>
/// <remarks>Filters run in the host, around isolated operations too. One instance serves all calls, concurrently.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
public abstract class OperationFilterAttribute : Attribute, IOperationFilter
{
    /// <summary>The place among the filters, lowest outermost. Default <see cref="int.MaxValue"/>.</summary>
    public int Order { get; set; } = int.MaxValue;

    /// <summary>
    /// Runs around the operation. Not calling <paramref name="next"/> skips it; the result, status and headers are in the
    /// context and may be replaced; exceptions may be caught.
    /// </summary>
    /// <param name="context">The call's context.</param>
    /// <param name="next">The next filter, or the operation. Call it at most once.</param>
    public abstract ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next);
}
