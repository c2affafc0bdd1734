using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003's hosts as contenders: on .NET 10 and on Mono, with workers on either.</summary>
internal static class IsolationHosts
{
    public const string Net = ".NET 10 host";
    public const string Mono = "Mono host";

    /// <summary>A contender on one of the hosts.</summary>
    public static HostedContender On(string host, string name, ControlLine request, ControlLine? question = null, Availability? needs = null, ControlLine? warmUp = null, SharedProcesses? shared = null) =>
        new(name, host == Net ? ProgramLaunch.OfLab("isolation") : ProgramLaunch.MonoHost)
        {
            Needs = host == Mono ? Peers.Mono : needs ?? Availability.Present,
            Request = request,
            Shared = shared,
            WarmUpRequest = warmUp,
            Question = question,
            Expected = question is null ? null : HelloAnswer.Of(question.Int("bytes")),
        };

    /// <summary>Names the runtime of a worker process, or of an empty program.</summary>
    public static ControlLine WithRuntime(this ControlLine request, bool onMono) => request
        .With("runner", onMono ? "mono" : "dotnet")
        .With("worker", onMono ? BuiltPrograms.TaskWorkerOnMono : BuiltPrograms.TaskWorker)
        .With("empty", onMono ? BuiltPrograms.EmptyOnMono : BuiltPrograms.Empty);
}
