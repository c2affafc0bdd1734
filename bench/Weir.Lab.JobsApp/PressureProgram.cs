using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Jobs;

/// <summary>Jobs that are submitted at a fixed rate, each by itself and without waiting for its end, whatever becomes of the earlier ones.</summary>
internal static class PressureProgram
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(5);

    // What is submitted last has this long to end before it counts as waiting.
    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(1);

    /// <summary><c>rate</c> jobs a second for <c>seconds</c>. How soon they begin is that of the last thousand, where most dead rows are in the way.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(IJobs jobs, IJobs<IWorksClient> works, ControlLine request)
    {
        var (rate, seconds) = (request.Number("rate"), request.Number("seconds"));
        var (submitted, accepted, failed) = (0L, 0L, 0L);
        var began = Clock.Now;
        while (Clock.SecondsSince(began) is var now && now < seconds)
        {
            // All that are due: none waits for an earlier one.
            for (; submitted < now * rate; submitted++)
                _ = SubmitAsync();
            await Task.Delay(Step);
        }

        await Task.Delay(Rest);
        var backlog = submitted - Interlocked.Read(ref accepted) + await CountAsync(jobs, JobState.Ready) + await CountAsync(jobs, JobState.Running);
        return
        [
            Readings.Reading("jobs", submitted, ""),
            Readings.Reading("backlog", backlog, ""),
            Readings.Reading("failed", Interlocked.Read(ref failed) + await CountAsync(jobs, JobState.Failed), ""),
            .. Begun(await jobs.ListAsync(new JobQuery { Limit = JobsProgram.Part })),
            Readings.Done(),
        ];

        async Task SubmitAsync()
        {
            try
            {
                await works.EnqueueAsync(static works => works.Stamp());
                Interlocked.Increment(ref accepted);
            }
            catch (WeirException)
            {
                // Not accepted: it stays in the backlog.
                Interlocked.Increment(ref failed);
            }
        }
    }

    private static async Task<int> CountAsync(IJobs jobs, JobState state)
    {
        var (count, before) = (0, (Guid?)null);
        while (await jobs.ListAsync(new JobQuery { State = state, Before = before, Limit = JobsProgram.Part }) is { Count: > 0 } page)
        {
            count += page.Count;
            before = page[^1].Id;
        }

        return count;
    }

    private static ControlLine[] Begun(IReadOnlyList<JobInfo> last)
    {
        var waits = last.Where(static job => job.Started is not null).Select(static job => (job.Started!.Value - job.Submitted).TotalMilliseconds).Order().ToArray();
        return waits.Length == 0 ? [] : [Readings.Reading("begun after p50", waits[waits.Length / 2], "ms"), Readings.Reading("begun after p99", waits[(int)(waits.Length * 0.99)], "ms")];
    }
}
