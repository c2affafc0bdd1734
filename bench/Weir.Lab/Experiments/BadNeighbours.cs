using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003's reason for isolation: what a victim feels of a neighbour who behaves badly.</summary>
internal sealed class BadNeighbours : Experiment
{
    // What the neighbour may eat before the machine's owner notices, where the environment knows such a limit.
    private const string HeapLimit = "10000000"; // 256 MB, hexadecimal

    private static readonly string[] Ways = ["memory", "cpu", "statics", "crash"];
    private static readonly string[] Environments = ["in-process", "thread", "AssemblyLoadContext"];

    public override string Name => "bad-neighbours";

    public override string Question => "A neighbour eats memory, eats CPU, spoils statics, crashes: what does the victim beside him feel?";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 35, 90));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var how in Ways)
        {
            yield return new Case(how,
            [
                .. Environments.Select(environment => Contender(scale, environment, environment, how)),
                Contender(scale, "AppDomain (Mono)", "appdomain", how),
                new FreshContender("weir", cancellation =>
                    LiveBesideAsync(ProgramLaunch.OfLab("weir-pool", "pool=neighbours", "max=1", "memoryMb=256"), "worker", how, scale, cancellation)),
            ])
            {
                Rounds = scale.Pick(1, 1, 3),
                WarmUp = false,
                Given = how == "statics"
                    ? [Row.Fixed("document same domain", how, "InitCount", 543, ""), Row.Fixed("document AppDomain", how, "InitCount", 0, "")]
                    : [],
            };
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var how in Ways)
        {
            yield return Promise.Count($"{how}: the victim has no errors", measured["weir", how, "victim errors"], Relation.Exactly, 0);
            yield return Promise.Count($"{how}: the host lives", measured["weir", how, "host died"], Relation.Exactly, 0);
            yield return Promise.Ratio(
                $"{how}: the victim's job takes at most 1.15 × its time alone", measured["weir", how, "job time, × alone"], Relation.AtMost, 1.15);
        }

        yield return Promise.Count("statics: the victim's stay as they were", measured["weir", "statics", "InitCount"], Relation.Exactly, 0);
    }

    private static FreshContender Contender(Scale scale, string name, string environment, string how)
    {
        var launch = environment == "appdomain"
            ? new ProgramLaunch("mono", [BuiltPrograms.MonoHost]) { Environment = new Dictionary<string, string> { ["MONO_GC_PARAMS"] = "max-heap-size=256m" } }
            : ProgramLaunch.OfLab("isolation") with { Environment = new Dictionary<string, string> { ["DOTNET_GCHeapHardLimit"] = HeapLimit } };
        return new FreshContender(name, cancellation => LiveBesideAsync(launch, environment, how, scale, cancellation))
        {
            Needs = environment == "appdomain" ? Peers.Mono : Availability.Present,
        };
    }

    private static async Task<Round> LiveBesideAsync(
        ProgramLaunch launch, string environment, string how, Scale scale, CancellationToken cancellation)
    {
        await using var process = await ContenderProcess.StartAsync(launch, cancellation);
        try
        {
            var round = await process.RunAsync(
                new ControlLine("neighbour").With("environment", environment).With("how", how).With("seconds", scale.Pick(0.1, 0.5, 2)), cancellation);

            // A house in that state may take long to leave.
            process.Kill();
            return round;
        }
        catch (ContenderException)
        {
            // Gone, or without the memory to say so: nobody lives there any more.
            return new Round().Add("host died", 1, "");
        }
    }
}
