namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Learns from answers how long calls take. The worker's own clock is better than the host's, which sees answers late and in
/// groups; for a group of several operations it gives only the sum, which is divided in proportion to the expected times.
/// </summary>
internal static class Estimates
{
    /// <summary>Learns from answered calls.</summary>
    /// <param name="worker">The worker that answered, in its state before that.</param>
    /// <param name="answers">Its answers, already decided.</param>
    /// <param name="perCall">The mean time by the worker's clock; zero when it is not known.</param>
    /// <param name="now">The pool's time.</param>
    public static void Learn(WorkerEntry worker, ReadOnlySpan<Answer> answers, TimeSpan perCall, TimeSpan now)
    {
        // 1. Without the worker's clock: since its turn began, or its one call was started.
        var turn = now - worker.TurnSince;
        var mean = perCall > TimeSpan.Zero && perCall <= turn ? perCall
            : !worker.HasSharedMemory && answers is [{ Call: { } only }] && only.CallId == worker.StartedThrough ? now - worker.StartedAt
            : turn / answers.Length;

        // 2. In proportion to the expected times, if all were known.
        var expected = TimeSpan.Zero;
        foreach (var answer in answers)
        {
            if (answer.Call!.Expected is not { } time)
            {
                expected = TimeSpan.Zero;
                break;
            }

            expected += time;
        }

        foreach (var answer in answers)
        {
            if (answer.Call is { IsStreamed: false, Time: { } time } call)
            {
                time.Learn(expected > TimeSpan.Zero ? mean * (call.Expected!.Value * answers.Length / expected) : mean);
            }
        }
    }
}
