using Weir.Lab.Engine;

namespace Weir.Lab.Processes;

/// <summary>A contender whose process is started anew for every round: what matters is how it begins, or that it may not survive.</summary>
internal sealed class FreshContender(string name, Func<CancellationToken, Task<Round>> round) : Contender(name)
{
    public Availability Needs { get; init; } = Availability.Present;

    public override Availability Availability => Needs;

    /// <summary>A contender that is started, driven once, and ended.</summary>
    public static FreshContender Of(string name, ProgramLaunch launch, Func<ContenderProcess, CancellationToken, Task<Round>> drive) =>
        new(name, async cancellation =>
        {
            await using var process = await ContenderProcess.StartAsync(launch, cancellation);
            return await drive(process, cancellation);
        });

    public override Task<Round> RunAsync(CancellationToken cancellation) => round(cancellation);

    /// <summary>Nothing: there is nobody to warm.</summary>
    public override Task WarmUpAsync(CancellationToken cancellation) => Task.CompletedTask;
}
