namespace Weir.Execution.Pipeline;

/// <summary>An executor that can start many calls at once.</summary>
/// <typeparam name="TCall">The executor's representation of a call.</typeparam>
internal interface IGroupExecutor<TCall>
{
    /// <summary>Starts calls that were added to a <see cref="CallGroup"/>.</summary>
    /// <param name="calls">In the order in which they were made; the executor may overwrite the span.</param>
    void StartAll(Span<TCall> calls);
}
