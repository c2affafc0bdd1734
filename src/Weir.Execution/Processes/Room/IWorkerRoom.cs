namespace Weir.Execution.Processes;

/// <summary>
/// How many workers the host can bear over all its pools. Room is lent before a worker is started and given back when it is
/// reaped. Called under a pool's lock, from any pool at once: it neither waits nor calls back.
/// </summary>
internal interface IWorkerRoom
{
    /// <summary>Lends room.</summary>
    /// <param name="wanted">For how many workers, 1 or more.</param>
    /// <returns>For how many there is; 0 to <paramref name="wanted"/>. The pool asks again after a second.</returns>
    int Take(int wanted);

    /// <summary>Takes back what was lent.</summary>
    /// <param name="count">For how many workers, 0 or more.</param>
    void Return(int count);
}
