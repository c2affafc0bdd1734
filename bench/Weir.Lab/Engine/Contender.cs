namespace Weir.Lab.Engine;

/// <summary>One way of doing the work of a case: a document's design, a peer, Weir, or a floor.</summary>
/// <remarks>Members are called one after the other; a contender is prepared once, measured several times, and disposed.</remarks>
internal abstract class Contender(string name) : IAsyncDisposable
{
    public string Name { get; } = name;

    /// <summary>Whether it can run here. Nothing else is called unless it is present.</summary>
    public virtual Availability Availability => Availability.Present;

    /// <summary>What it says it runs on, once it has run; null when it says nothing.</summary>
    public virtual string? Runtime => null;

    /// <summary>Whether running it once changes how it runs the next time; other contenders are not warmed up.</summary>
    public virtual bool WarmsUp => true;

    /// <summary>Starts what is measured, up to the state in which it could answer.</summary>
    public virtual Task PrepareAsync(CancellationToken cancellation) => Task.CompletedTask;

    /// <summary>What it answers to the question that all contenders of the case are asked; null when there is nothing to compare.</summary>
    public virtual Task<string?> AnswerAsync(CancellationToken cancellation) => Task.FromResult<string?>(null);

    /// <summary>Runs once and returns what was measured.</summary>
    public abstract Task<Round> RunAsync(CancellationToken cancellation);

    /// <summary>Runs once without being measured; the same work unless overridden.</summary>
    public virtual Task WarmUpAsync(CancellationToken cancellation) => RunAsync(cancellation);

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
