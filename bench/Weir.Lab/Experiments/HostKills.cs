using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Hosts of Weir's pools killed again and again, with workers that are idle and workers that compute without end: which processes remain?</summary>
internal static class HostKills
{
    public const string Name = "Weir's host killed again and again";

    private const int Workers = 2;

    // At the same time: each waits for a second to pass.
    private const int AtOnce = 6;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    public static Case Case(Scale scale) => new(Name, [new FreshContender("weir", cancellation => RunAsync(scale.Pick(2, 4, 50), cancellation))])
    {
        Rounds = 1,
        WarmUp = false,
    };

    public static IEnumerable<Promise> Promises(Measured measured) =>
    [
        // If there were no workers, none can remain.
        Promise.Count("killed hosts had their workers", measured["weir", Name, "workers"] - measured["weir", Name, "workers meant"], Relation.AtLeast, 0),
        Promise.Count("idle workers of killed hosts: none is left after a second", measured["weir", Name, "idle left"], Relation.Exactly, 0),
        Promise.Count("busy workers of killed hosts: none is left after a second", measured["weir", Name, "busy left"], Relation.Exactly, 0),
    ];

    private static async Task<Round> RunAsync(int kills, CancellationToken cancellation)
    {
        var ends = new List<(bool IsBusy, int Workers, int Left)>();
        foreach (var numbers in Enumerable.Range(0, kills).Chunk(AtOnce))
            ends.AddRange(await Task.WhenAll(numbers.Select(number => KillAsync(isBusy: number % 2 == 1, cancellation))));

        return new Round()
            .Add("hosts killed", ends.Count, "")
            .Add("workers", ends.Sum(end => end.Workers), "")
            .Add("workers meant", ends.Count * Workers, "")
            .Add("idle left", ends.Where(end => !end.IsBusy).Sum(end => end.Left), "")
            .Add("busy left", ends.Where(end => end.IsBusy).Sum(end => end.Left), "");
    }

    private static async Task<(bool IsBusy, int Workers, int Left)> KillAsync(bool isBusy, CancellationToken cancellation)
    {
        // A worker that starts while its host is killed is not yet in the list of children.
        var mark = new EnvironmentMark();
        await using var process = await ContenderProcess.StartAsync(mark.On(ProgramLaunch.OfLab("weir-pool", $"max={Workers}")), cancellation);
        while (process.Meter.Children.Count < Workers)
            await Task.Delay(10, cancellation);
        await process.AskAsync(new ControlLine("answer").With("bytes", 1024), cancellation);
        if (isBusy)
        {
            // What computes does not listen, and more calls wait behind it.
            await process.AskAsync(new ControlLine("burn").With("workers", Workers), cancellation);
            await process.AskAsync(new ControlLine("burst").With("count", 50).With("bytes", 1024), cancellation);
        }

        var workers = mark.Bearers.Count - 1;
        process.Kill();
        await Task.Delay(Patience, cancellation);
        var left = mark.Bearers;
        foreach (var pid in left)
            WorkerKiller.Kill(pid);
        return (isBusy, workers, left.Count);
    }
}
