using Weir.Lab.Engine;

namespace Weir.Lab.Processes;

/// <summary>A contender whose process is started again for every round: what matters is how it begins, or that it may not survive.</summary>
internal sealed class FreshContender(string name, Func<CancellationToken, Task<Round>> round) : Contender(name)
{
    public Availability Needs { get; init; } = Availability.Present;

    /// <summary>Set by the round, which starts the process.</summary>
    public string? RunsOn { get; set; }

    public override Availability Availability => Needs;

    public override string? Runtime => RunsOn;

    /// <summary>A contender that is started, driven once, and ended.</summary>
    public static FreshContender Of(string name, ProgramLaunch launch, Func<ContenderProcess, CancellationToken, Task<Round>> drive, Availability? needs = null)
    {
        FreshContender contender = null!;
        contender = new FreshContender(name, async cancellation =>
        {
            await using var process = await ContenderProcess.StartAsync(launch, cancellation);
            contender.RunsOn = process.Runtime;
            return await drive(process, cancellation);
        })
        {
            Needs = needs ?? Availability.Present,
        };
        return contender;
    }

    /// <summary>There is no process to warm up.</summary>
    public override bool WarmsUp => false;

    public override Task<Round> RunAsync(CancellationToken cancellation) => round(cancellation);
}
