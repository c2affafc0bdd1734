using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>One job of tenant or kind B beside a backlog of A, the same for every library: how many jobs of A start between the acceptance of B's job and its start.</summary>
internal static class FairRounds
{
    public const string Backlog = "A";
    public const string Single = "B";

    /// <summary>How long each job takes.</summary>
    public static readonly TimeSpan JobTime = TimeSpan.FromMilliseconds(10);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(20);

    private static long _next = -1;

    /// <summary><c>probes</c> jobs of B, one after the other, with a pause before each; the first one comes <c>busy</c> ms after jobs of A have run.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="folder">Where the marks of the jobs are.</param>
    /// <param name="backlog">How many jobs of A were submitted.</param>
    /// <param name="submit">Submits a job of B with a number, and completes when it is accepted, with what completes when it has ended.</param>
    public static async Task<List<ControlLine>> RunAsync(ControlLine request, string folder, long backlog, Func<long, Task<Task>> submit)
    {
        while (!JobMark.Read(folder).Any(static mark => mark is { What: Backlog, IsStart: false }))
            await Task.Delay(Look);
        await Task.Delay(request.Int("busy"));
        var probes = new List<(long Number, long Submitted, long Accepted)>();
        for (var probe = 0; probe < request.Int("probes"); probe++)
        {
            await Task.Delay(request.Int("pause"));
            var (number, submitted) = (Interlocked.Increment(ref _next), Clock.Now);
            var ended = await submit(number);
            probes.Add((number, submitted, Clock.Now));
            await ended;
        }

        JobMark[] marks = [.. JobMark.Read(folder)];
        var starts = marks.Where(static mark => mark is { What: Backlog, IsStart: true }).Select(static mark => mark.Stamp).Order().ToArray();
        var ofSingle = marks.Where(static mark => mark is { What: Single, IsStart: true }).ToDictionary(static mark => mark.Number, static mark => mark.Stamp);
        var slots = MostAtOnce(marks.Where(static mark => mark.What == Backlog));
        var worst = probes.Max(probe => Between(starts, probe.Accepted, ofSingle[probe.Number]));
        var times = probes.Select(probe => Clock.MillisecondsBetween(probe.Submitted, ofSingle[probe.Number])).Order().ToArray();
        return
        [
            Readings.Reading("rounds of slots", (double)worst / slots, ""),
            Readings.Reading("started before it", worst, ""),
            Readings.Reading("the same from its submission", probes.Max(probe => Between(starts, probe.Submitted, ofSingle[probe.Number])), ""),
            Readings.Reading("slots", slots, ""),
            Readings.Reading("began after", times[times.Length / 2], "ms"),
            Readings.Reading("waiting before it", backlog - probes.Max(probe => Between(starts, 0, probe.Accepted)), ""),
        ];
    }

    /// <summary>How many jobs ran at once at most, by what they wrote.</summary>
    internal static int MostAtOnce(IEnumerable<JobMark> marks)
    {
        var (running, most) = (0, 0);

        // At the same tick an end is before a start: a slot has one job.
        foreach (var mark in marks.OrderBy(static mark => mark.Stamp).ThenBy(static mark => mark.IsStart))
        {
            running += mark.IsStart ? 1 : -1;
            most = Math.Max(most, running);
        }

        return most;
    }

    /// <summary>How many stamps are later than one and earlier than the other.</summary>
    internal static int Between(long[] ordered, long from, long to) => ordered.Count(stamp => stamp > from && stamp < to);
}
