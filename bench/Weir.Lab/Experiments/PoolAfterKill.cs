using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Two pools that do the same, one of which lost a worker in a call before: does it ever do as much as the other again?</summary>
internal static class PoolAfterKill
{
    private const int Bytes = 1024;
    private const int Window = 256;
    private const string Name = "null calls of 1 KB, one worker, 256 in flight, after a killed worker";
    private const string Whole = "weir, no worker killed";
    private const string AfterKill = "weir, one worker killed";
    private const double Least = 0.95;

    public static Case Case(Scale scale) => new Case(Name, [Contender(scale, Whole, kills: false), Contender(scale, AfterKill, kills: true)])
    {
        Rounds = scale.Pick(1, QuickCases.PromisedRounds, 5),
    }.LikeAPool(scale);

    public static Promise Promise(Measured measured) => Engine.Promise.Ratio(
        $"after one killed worker: at least {Least} × the rate of a pool without one", measured[AfterKill, Name, "tasks/s"], measured[Whole, Name, "tasks/s"],
        Relation.AtLeast, Least);

    private static HostedContender Contender(Scale scale, string name, bool kills) => new(name, ProgramLaunch.OfLab("weir-pool", "max=1"))
    {
        Request = Request(scale.Pick(0.05, 0.25, 1)),
        WarmUp = async (process, cancellation) =>
        {
            // Once, before the first warm-up; the call that is lost is none of those that are measured.
            if (kills)
            {
                kills = false;
                await process.RunAsync(new ControlLine("deaths").With("count", 1), cancellation);
            }

            await process.RunAsync(Request(PoolWarmUp.Seconds(scale)), cancellation);
        },
        Question = new ControlLine("answer").With("bytes", Bytes),
        Expected = HelloAnswer.Of(Bytes),
    };

    private static ControlLine Request(double seconds) => new ControlLine("pool").With("mode", LineProtocol.Blob).With("kind", nameof(TaskKind.Nothing))
        .With("bytes", Bytes).With("window", Window).With("seconds", seconds);
}
