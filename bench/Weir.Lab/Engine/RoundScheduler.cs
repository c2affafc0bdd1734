namespace Weir.Lab.Engine;

/// <summary>Runs one case: contenders alternate, so that other work of the machine affects all of them alike.</summary>
internal sealed class RoundScheduler(TimeProvider time, IRunObserver observer)
{
    /// <summary>
    /// 1. Prepare all; 2. compare answers; 3. warm up, one after the other; 4. rounds A B C, B C A, …; 5. dispose all, whatever
    /// happened. What is not timed (1, 2, 5) several do at the same time. A contender that breaks is ended at once and reported,
    /// and the others continue without it.
    /// </summary>
    public async Task<CaseResult> RunAsync(Case @case, CancellationToken cancellation)
    {
        await using var run = new CaseRun(@case, time, observer, cancellation);
        await run.PrepareAsync();
        await run.CompareAsync();
        if (@case.WarmUp)
            await run.WarmUpAsync();

        for (var round = 0; round < @case.Rounds; round++)
            await run.MeasureAsync(round);
        return run.Result();
    }
}
