using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>A process that is killed with many jobs waiting, and started again.</summary>
internal sealed class JobsRecover : Experiment
{
    private const string First = "first job";

    public override string Name => "jobs-recover";

    public override string Question => "A process is killed while a million jobs wait (in a quick run 100,000), and started again: how soon does a job start, with one key and with a key for each job?";

    public override string? Document => null;

    public override string? QuickLeavesOut => PostgreSqlContenders.LeftOut;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(30, 10, 540));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var directory = new SharedDirectory();
        foreach (var keys in new[] { 1, Count(scale) })
        {
            yield return new Case(CaseName(scale, keys), [new RecoveringContender(directory, CaseName(scale, keys), Count(scale), keys)])
            {
                Rounds = scale.Pick(1, 3, 5),
                WarmUp = false,
                Patience = TimeSpan.FromMinutes(5),
                Shared = directory,
            };
        }

        foreach (var @case in JobLeases.Cases(scale))
            yield return @case;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var keys in new[] { 1, Count(scale) })
        {
            var name = CaseName(scale, keys);
            yield return Promise.Latency($"{name}: a job starts at most 1 s after its host", measured[Sqlite, name, First], 1_000);
        }

        foreach (var promise in JobLeases.Promises(measured, scale))
            yield return promise;
    }

    private static int Count(Scale scale) => scale.Pick(1_000, 100_000, 1_000_000);

    private static string CaseName(Scale scale, int keys) => FormattableString.Invariant($"{Count(scale):N0} jobs of {keys:N0} {(keys == 1 ? "key" : "keys")}");

    // The store is filled once, and every round begins with what a killed process has left: the jobs that it ran wait until they are killed, too.
    private sealed class RecoveringContender(SharedDirectory directory, string folder, int count, int keys) : Contender(Sqlite)
    {
        private string? _runtime;

        public override string? Runtime => _runtime;

        public override bool WarmsUp => false;

        private string Directory => directory.Folder(folder);

        public override async Task PrepareAsync(CancellationToken cancellation)
        {
            await using var process = await ContenderProcess.StartAsync(ProgramLaunch.OfJobs("store=sqlite", "run=no", $"directory={Directory}"), cancellation);
            _runtime = process.Runtime;
            await process.RunAsync(new ControlLine("fill").With("count", count).With("keys", keys), cancellation);
            process.Kill();
        }

        public override async Task<Round> RunAsync(CancellationToken cancellation)
        {
            await using var process = await ContenderProcess.StartAsync(ProgramLaunch.OfJobs("store=sqlite", $"directory={Directory}"), cancellation);
            var first = await process.AskAsync(new ControlLine("first"), cancellation);
            process.Kill();
            return new Round()
                .Add(First, first.Number("ms"), "ms")
                .Add("file", new DirectoryInfo(Directory).EnumerateFiles().Sum(static file => file.Length) / 1e6, "MB");
        }
    }
}
