using Weir.Lab.Isolation;

namespace Weir.Lab.Jobs;

/// <summary>What is asked before anything is timed: many jobs at once, each of which has to run once.</summary>
internal static class EachOnce
{
    /// <summary>Submits <c>count</c> jobs, waits for the end of each, and says how many there were, how often their code ran, and how many results differ.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="submit">Submits the job of a number, whose result the number is.</param>
    /// <param name="runs">How often the code has run in this process; <c>null</c> where it runs in another one: then the store's attempts are counted.</param>
    public static async Task<ControlLine> AnswerAsync(ControlLine request, Func<int, ValueTask<Job<int>>> submit, Func<int>? runs = null)
    {
        var before = runs?.Invoke() ?? 0;
        var jobs = await Task.WhenAll(Enumerable.Range(0, request.Int("count")).Select(async number => await submit(number)));
        var ends = await Task.WhenAll(jobs.Select(static async job => (await job.WaitAsync(), await job.ResultAsync())));
        var ran = runs?.Invoke() - before ?? ends.Sum(static end => end.Item1.Attempt);
        return new ControlLine("ok").With("answer", FormattableString.Invariant($"{jobs.Length} jobs, {ran} runs, {ends.Select(static end => end.Item2).Distinct().Count()} results"));
    }
}
