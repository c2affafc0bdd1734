using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>How soon a request that becomes a job is answered, beside the direct call of the same operation and beside a submission from code, alternately.</summary>
internal static class JobAccepts
{
    public const string Name = "accepted";

    private const double Milliseconds = 1;
    private const string Operation = "/Works/Nothing";
    private const string Arguments = """{"number":41}""";
    private const string Beyond = "202 beyond direct call and code";

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(3);

    public static Case Case(Scale scale) => new(Name,
    [
        new HostedContender(Sqlite, Launch(Sqlite, "http=yes", "min=0"))
        {
            Drive = (process, cancellation) => MeasureAsync(process, scale.Pick(5, 100, 500), cancellation),
            WarmUp = (process, cancellation) => MeasureAsync(process, scale.Pick(2, 40, 100), cancellation),
            Ask = AnswerAsync,
            Expected = "41 41",
        },
    ])
    {
        Rounds = scale.Pick(1, 1, 5),
    };

    public static IEnumerable<Promise> Promises(Measured measured) =>
    [
        Promise.Latency(
            FormattableString.Invariant($"half of the 202 arrive within the time of a direct call, that of a submission from code, and {Milliseconds} ms"), measured[Sqlite, Name, Beyond], Milliseconds),
    ];

    private static async Task<string?> AnswerAsync(ContenderProcess process, CancellationToken cancellation)
    {
        using var client = ServedJobs.NewClient();
        var jobs = new ServedJobs(client, process);
        var direct = await jobs.CallAsync(Operation, Arguments, cancellation);
        var job = await jobs.SubmitAsync(Operation, Arguments, cancellation);
        await jobs.EndAsync(job, cancellation);
        return $"{direct} {await jobs.ResultAsync(job, cancellation)}";
    }

    private static async Task<Round> MeasureAsync(ContenderProcess process, int count, CancellationToken cancellation)
    {
        using var client = ServedJobs.NewClient(mostConnections: 1);
        var jobs = new ServedJobs(client, process);
        var (direct, accepted, code) = (new List<double>(count), new List<double>(count), new List<double>(count));
        for (var i = 0; i < count; i++)
        {
            // 1. Over a connection that has answered before: the first one has not.
            await jobs.CallAsync(Operation, Arguments, cancellation);
            await Task.Delay(Pause, cancellation);
            var began = Clock.Now;
            await jobs.CallAsync(Operation, Arguments, cancellation);
            direct.Add(Clock.MillisecondsBetween(began, Clock.Now));

            // 2. None begins while an earlier one is still written.
            await Task.Delay(Pause, cancellation);
            began = Clock.Now;
            var job = await jobs.SubmitAsync(Operation, Arguments, cancellation);
            accepted.Add(Clock.MillisecondsBetween(began, Clock.Now));
            await jobs.EndAsync(job, cancellation);

            // 3. Timed in the application, which waits for the end.
            await Task.Delay(Pause, cancellation);
            code.Add((await process.AskAsync(new ControlLine("accept"), cancellation)).Number("ms"));
        }

        return new Round()
            .Add("202 p50", Median(accepted), "ms")
            .Add("direct call p50", Median(direct), "ms")
            .Add("accepted from code p50", Median(code), "ms")
            .Add(Beyond, Median(accepted) - Median(direct) - Median(code), "ms");
    }

    private static double Median(List<double> times)
    {
        times.Sort();
        return times[times.Count / 2];
    }
}
