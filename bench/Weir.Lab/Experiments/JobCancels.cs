using System.Collections.Concurrent;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>Jobs that are cancelled over HTTP at random moments: how does each end, and does its code run afterwards?</summary>
internal static class JobCancels
{
    private const int Callers = 64;
    private const int Seed = 20260101;
    private const string Cancelled = "cancelled";
    private const string Succeeded = "succeeded";
    private const string Otherwise = "ended otherwise";
    private const string Running = "code running after the end";

    // From before its start until after its end.
    private const int MostMilliseconds = 50;

    public static string Name(Scale scale) => FormattableString.Invariant($"{Count(scale):N0} cancels");

    public static Case Case(Scale scale)
    {
        FreshContender contender = null!;
        contender = new FreshContender(Sqlite, async cancellation =>
        {
            await using var directory = new SharedDirectory();
            var folder = directory.Folder("witness");
            var launch = Launch(Sqlite, "http=yes", "min=0", "pool=chaos", $"directory={directory.Folder("store")}", $"witness={folder}");
            await using var process = await ContenderProcess.StartAsync(launch, cancellation);
            contender.RunsOn = process.Runtime;
            return await MeasureAsync(process, folder, Count(scale), cancellation);
        });
        return new Case(Name(scale), [contender])
        {
            Rounds = 1,
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(10),
        };
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = Name(scale);
        var (cancelled, succeeded) = (measured[Sqlite, name, Cancelled], measured[Sqlite, name, Succeeded]);

        // Moments of one sort only would prove nothing.
        yield return Promise.Count("some jobs are cancelled while their code runs", measured[Sqlite, name, "cancelled after they had begun"], Relation.AtLeast, Count(scale) / 20.0);
        yield return Promise.Count("some jobs succeed before they are cancelled", succeeded, Relation.AtLeast, scale.Pick(0, 1, 100));
        yield return Promise.Count("some jobs are cancelled", cancelled, Relation.AtLeast, Count(scale) / 20.0);
        yield return Promise.Count("a job that is cancelled ends cancelled or succeeded", measured[Sqlite, name, Otherwise], Relation.Exactly, 0);
        yield return Promise.Count("no code runs after the end of its job is seen", measured[Sqlite, name, Running], Relation.Exactly, 0);
    }

    private static int Count(Scale scale) => scale.Pick(40, 200, 10_000);

    private static async Task<Round> MeasureAsync(ContenderProcess process, string folder, int count, CancellationToken cancellation)
    {
        using var client = ServedJobs.NewClient();
        var jobs = new ServedJobs(client, process);

        // The same moments in every run.
        var random = new Random(Seed);
        var left = new ConcurrentQueue<(int Number, int Delay)>(Enumerable.Range(0, count).Select(number => (number, random.Next(MostMilliseconds))));
        var (seen, states, began) = (new ConcurrentDictionary<long, long>(), new ConcurrentBag<string>(), Clock.Now);
        var cancelled = new ConcurrentBag<long>();
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Task.Run(CancelAsync, cancellation)));
        JobMark[] marks = [.. JobMark.Read(folder)];
        var begun = marks.Where(static mark => mark.IsStart).Select(static mark => mark.Number).ToHashSet();
        return new Round()
            .Add(Cancelled, states.Count(static state => state == Cancelled), "")
            .Add("cancelled after they had begun", cancelled.Count(begun.Contains), "")
            .Add(Succeeded, states.Count(static state => state == Succeeded), "")
            .Add(Otherwise, states.Count(static state => state is not (Cancelled or Succeeded)), "")
            .Add(Running, CancelMarks.Running(marks, seen), "")
            .Add("time", Clock.SecondsSince(began), "s");

        async Task CancelAsync()
        {
            while (left.TryDequeue(out var next))
            {
                var job = await jobs.SubmitAsync(CancelMarks.IsIsolated(next.Number) ? "/CancelWorkerWorks/Mark" : "/CancelWorks/Mark", FormattableString.Invariant($$"""{"number":{{next.Number}}}"""), cancellation);
                await Task.Delay(next.Delay, cancellation);
                await jobs.CancelAsync(job, cancellation);
                var state = await jobs.EndAsync(job, cancellation);
                seen[next.Number] = Clock.Now;
                states.Add(state);
                if (state == Cancelled)
                    cancelled.Add(next.Number);
            }
        }
    }
}
