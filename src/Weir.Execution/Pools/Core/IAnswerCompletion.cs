namespace Weir.Execution.Pools.Core;

/// <summary>Completes calls that a worker answered, for <see cref="PoolCore.Answered"/>: on its thread, without the pool's lock, in this order.</summary>
internal interface IAnswerCompletion
{
    /// <summary>Drops what the host holds for sending these calls.</summary>
    void Release();

    /// <summary>Completes those calls whose answer is their outcome. Does not throw.</summary>
    /// <param name="count">How many of the answers are valid, from the first on.</param>
    void Complete(int count);
}
