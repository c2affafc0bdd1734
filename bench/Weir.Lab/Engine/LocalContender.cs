namespace Weir.Lab.Engine;

/// <summary>A contender that runs inside the lab itself: floors, and measurements of how processes start.</summary>
internal sealed class LocalContender(string name, Func<CancellationToken, Task<Round>> run) : Contender(name)
{
    public override Task<Round> RunAsync(CancellationToken cancellation) => run(cancellation);
}
