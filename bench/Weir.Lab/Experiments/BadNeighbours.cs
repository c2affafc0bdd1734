using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003's reason for isolation: what a victim feels of a neighbour who behaves badly.</summary>
internal sealed class BadNeighbours : Experiment
{
    // What the neighbour may eat before the machine's owner notices, where the environment knows such a limit.
    private const string HeapLimit = "10000000"; // 256 MB, hexadecimal

    private static readonly string[] Quick = ["memory", "cpu", "statics", "unhandled exception"];
    private static readonly string[] All = [.. Quick, "stack overflow", "SIGSEGV", "exit", "FailFast"];
    private static readonly string[] Environments = ["in-process", "thread", "AssemblyLoadContext"];

    public override string Name => "bad-neighbours";

    public override string Question => "A neighbour eats memory, eats CPU, spoils statics, crashes: what does the victim beside him feel?";

    public override string? Document => "003";

    public override string? QuickLeavesOut => $"other ways to crash than an unhandled exception: {string.Join(", ", All.Except(Quick))}";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 22, 165));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var how in Ways(scale))
        {
            // How long the victim works is what the figure about his time hangs on; in a quick run those about whom nothing is
            // promised get less of it.
            var seconds = scale.Pick(0.1, how == "cpu" ? 0.6 : 0.2, 1);
            var others = scale.Pick(0.1, how == "cpu" ? 0.25 : 0.15, 1);
            var @case = new Case(how,
            [
                .. Environments.Select(environment => Contender(environment, environment, how, others)),
                Contender("AppDomain (Mono)", "appdomain", how, others),
                new FreshContender("weir", cancellation => LiveBesideAsync(
                    ProgramLaunch.OfLab("weir-pool", "pool=neighbours", "max=1", "memoryMb=256"), "worker", how, seconds, cancellation)),
            ])
            {
                Rounds = scale.Pick(1, 1, 3),
                WarmUp = false,
                Given = how == "statics"
                    ? [Row.Fixed("document same domain", how, "InitCount", 543, ""), Row.Fixed("document AppDomain", how, "InitCount", 0, "")]
                    : [],
            };
            foreach (var part in @case.DecidingAtLength(scale, "weir"))
                yield return part;
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var how in Ways(scale))
        {
            yield return Promise.Count($"{how}: the victim has no errors", measured["weir", how, "victim errors"], Relation.Exactly, 0);
            yield return Promise.Count($"{how}: the host lives", measured["weir", how, "host died"], Relation.Exactly, 0);
            yield return Promise.Ratio(
                $"{how}: the victim's job takes at most 1.15 × its time alone", measured["weir", how, "job time, × alone"], Relation.AtMost, 1.15);
        }

        yield return Promise.Count("statics: the victim's stay as they were", measured["weir", "statics", "InitCount"], Relation.Exactly, 0);
    }

    private static string[] Ways(Scale scale) => scale == Scale.Full ? All : Quick;

    private static FreshContender Contender(string name, string environment, string how, double seconds)
    {
        var launch = environment == "appdomain"
            ? ProgramLaunch.MonoHost with { Environment = new Dictionary<string, string> { ["MONO_GC_PARAMS"] = "max-heap-size=256m" } }
            : ProgramLaunch.OfLab("isolation") with { Environment = new Dictionary<string, string> { ["DOTNET_GCHeapHardLimit"] = HeapLimit } };
        return new FreshContender(name, cancellation => LiveBesideAsync(launch, environment, how, seconds, cancellation))
        {
            Needs = environment == "appdomain" ? Peers.Mono : Availability.Present,
        };
    }

    private static async Task<Round> LiveBesideAsync(
        ProgramLaunch launch, string environment, string how, double seconds, CancellationToken cancellation)
    {
        await using var process = await ContenderProcess.StartAsync(launch, cancellation);
        try
        {
            var round = await process.RunAsync(
                new ControlLine("neighbour").With("environment", environment).With("how", how).With("seconds", seconds), cancellation);

            // A house in that state may take long to leave.
            process.Kill();
            return round;
        }
        catch (ContenderException exception) when (exception.HasEnded || exception.Message.Contains(nameof(OutOfMemoryException), StringComparison.Ordinal))
        {
            // It has ended, or has no memory to answer.
            return new Round().Add("host died", 1, "");
        }
    }
}
