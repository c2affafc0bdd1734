namespace Weir;

/// <summary>
/// Wraps operations: an attribute (<see cref="OperationFilterAttribute"/>), a filter in the application's options, or a class that is registered in
/// the container as this interface, which then wraps every operation. All filters of a call are sorted once, ascending and stably, by <see cref="Order"/>; ties run
/// the options' filters, those of the container, then service, then operation.
/// </summary>
/// <remarks>Filters run in the host, around isolated operations too. One instance serves all calls, concurrently: in the container it is a singleton.</remarks>
public interface IOperationFilter
{
    /// <summary>The place among the filters, lowest outermost. Default <see cref="int.MaxValue"/>. Read once, when the application starts.</summary>
    int Order => int.MaxValue;

    /// <summary>
    /// Runs around the operation. Not calling <paramref name="next"/> skips it; arguments, result, status and headers are in the
    /// context and may be replaced; exceptions may be caught.
    /// </summary>
    /// <param name="context">The call's context.</param>
    /// <param name="next">The next filter, or the operation. Call it at most once.</param>
    ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next);
}
