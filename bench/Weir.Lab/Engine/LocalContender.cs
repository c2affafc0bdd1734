namespace Weir.Lab.Engine;

/// <summary>A contender that runs inside the lab itself: floors, and whatever is about starting processes.</summary>
internal sealed class LocalContender(string name, Func<CancellationToken, Task<Round>> run) : Contender(name)
{
    /// <summary>Floors that need no warm-up, or cannot have one, say so.</summary>
    public bool WarmsUp { get; init; } = true;

    public override Task<Round> RunAsync(CancellationToken cancellation) => run(cancellation);

    public override Task WarmUpAsync(CancellationToken cancellation) =>
        WarmsUp ? run(cancellation) : Task.CompletedTask;
}
