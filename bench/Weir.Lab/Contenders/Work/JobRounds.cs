using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>Rounds of jobs that are submitted and waited for, the same for every library; with the time of a sync in the directory of its store.</summary>
internal static class JobRounds
{
    private const int Syncs = 25;

    /// <summary><c>inflight</c> submitters, each of which waits for the end of its job and submits the next one, for <c>seconds</c>.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="directory">Of the store.</param>
    /// <param name="submitAndWait">Submits a job, and waits for its end.</param>
    /// <param name="commits">How many commits there were so far; <c>null</c> where nothing counts them.</param>
    public static async Task<List<ControlLine>> ThroughputAsync(ControlLine request, string directory, Func<Task> submitAndWait, Func<long>? commits = null)
    {
        var (sync, submitters, seconds) = (SyncProbe.Median(directory, Syncs), request.Int("inflight"), request.Number("seconds"));
        var (before, committed) = (Counters.OfThisProcess(), commits?.Invoke() ?? 0);
        var began = Clock.Now;
        var jobs = (await Task.WhenAll(Enumerable.Range(0, submitters).Select(_ => Task.Run(SubmitAsync)))).Sum();
        var took = Clock.SecondsSince(began);
        var (used, written) = (Counters.OfThisProcess() - before, (commits?.Invoke() ?? 0) - committed);
        return
        [
            Readings.Reading("jobs/s", jobs / took, "1/s"),
            Readings.Reading("fsync", (sync + SyncProbe.Median(directory, Syncs)) / 2, "ms"),
            Readings.Reading("CPU", used.CpuSeconds * 1e6 / jobs, "µs"),
            Readings.Reading("allocated", (double)used.AllocatedBytes / jobs, "B"),
            .. written == 0 ? Array.Empty<ControlLine>() : [Readings.Reading("commits/s", written / took, "1/s")],
        ];

        async Task<long> SubmitAsync()
        {
            var done = 0L;
            do
            {
                await submitAndWait();
                done++;
            }
            while (Clock.SecondsSince(began) < seconds);
            return done;
        }
    }

    /// <summary><c>count</c> jobs, one after the other, with a pause and a sync of a file beside the store before each.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="directory">Of the store.</param>
    /// <param name="submitAndWait">Submits a job, waits for its end, and returns the clock at its acceptance and at the first instruction of its code.</param>
    public static async Task<List<ControlLine>> LatencyAsync(ControlLine request, string directory, Func<Task<(long Accepted, long Started)>> submitAndWait)
    {
        var (latencies, accepts, syncs) = (new List<double>(), new List<double>(), new List<double>());
        using var probe = new SyncProbe(directory);
        for (var i = 0; i < request.Int("count"); i++)
        {
            syncs.Add(probe.Once());
            await Task.Delay(request.Int("pause"));
            var submitted = Clock.Now;
            var (accepted, started) = await submitAndWait();
            latencies.Add(Clock.MillisecondsBetween(submitted, started));
            accepts.Add(Clock.MillisecondsBetween(submitted, accepted));
        }

        latencies.Sort();
        accepts.Sort();
        syncs.Sort();
        var (median, sync) = (latencies[latencies.Count / 2], syncs[syncs.Count / 2]);
        return
        [
            Readings.Reading("first instruction p50", median, "ms"),
            Readings.Reading("first instruction p99", latencies[(int)(latencies.Count * 0.99)], "ms"),
            Readings.Reading("accepted p50", accepts[accepts.Count / 2], "ms"),
            Readings.Reading("fsync", sync, "ms"),
            Readings.Reading("p50 less 4 syncs", median - (4 * sync), "ms"),
        ];
    }
}
