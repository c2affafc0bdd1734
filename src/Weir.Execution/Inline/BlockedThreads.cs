namespace Weir.Execution.Inline;

/// <summary>What the threads of the thread pool that are in inline operations do.</summary>
/// <param name="Operations">The operations in which threads wait, with the number of these threads, the highest first.</param>
/// <param name="Computing">How many threads run, or could run and have no processor.</param>
/// <param name="AreKnown">Whether the system says which threads wait; if not, all count as waiting.</param>
internal sealed record BlockedThreads(IReadOnlyList<(Operation Operation, int Threads)> Operations, int Computing, bool AreKnown)
{
    /// <summary>How many wait.</summary>
    public int Count => Operations.Sum(static one => one.Threads);
}
