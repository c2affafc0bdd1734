using Weir.Lab.Engine;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.PostgreSqlContenders;

namespace Weir.Lab.Experiments;

/// <summary>The same as <see cref="JobItemAges"/> on PostgreSQL: in one process, and with a reader of a process that runs no jobs.</summary>
internal static class JobItemReplicas
{
    private const string Name = "items of 20 ms, PostgreSQL";
    private const string Other = "weir PostgreSQL, isolated, read in another process";
    private const string Operation = "/ItemWorkerWorks/Stamped";
    private const double Milliseconds = 60;

    public static IEnumerable<Case> Cases(Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        var server = new PostgreSqlServer();
        yield return new Case(Name,
        [
            Contender(PostgreSqlIsolated, server, scale, ["pool=items"], Making(PostgreSqlIsolated, server)),
            Contender(Other, server, scale, ["run=no"], async cancellation =>
            {
                await server.CreateAsync(Database(Other), cancellation);
                return await ContenderProcess.StartAsync(Launch(Other, server, "pool=items"), cancellation);
            }),
        ])
        {
            // They only wait: for the next item.
            Rounds = scale.Pick(1, 1, 3),
            Shared = server,
        };
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        yield return Promise.Latency(
            FormattableString.Invariant($"half of the items on PostgreSQL are at a reader of another process within {Milliseconds} ms"), measured[Other, Name, "item age p50"], Milliseconds);
        foreach (var name in new[] { PostgreSqlIsolated, Other })
        {
            foreach (var promise in JobItemAges.CompletePromises(measured, name, Name, scale))
                yield return promise;
        }
    }

    private static HostedContender Contender(string name, PostgreSqlServer server, Scale scale, string[] settings, Func<CancellationToken, Task<IAsyncDisposable?>> before) => new(name, Launch(name, server, ["http=yes", .. settings]))
    {
        Needs = Needs(name),
        Before = before,
        Drive = (process, cancellation) => JobItemAges.MeasureAsync(process, Operation, scale, cancellation),
        WarmUp = (process, cancellation) => JobItemAges.WarmUpAsync(process, Operation, cancellation),
        Ask = (process, cancellation) => JobItemAges.AnswerAsync(process, Operation, cancellation),
        Expected = JobItemAges.Expected,
    };
}
