using Weir.Lab.Engine;

namespace Weir.Lab.Processes;

/// <summary>A contender that waits for seconds and hardly computes: all its rounds run at the same time, each in a process of its own.</summary>
internal sealed class WaitingContender(string name, int rounds, Func<CancellationToken, Task<Round>> round) : Contender(name)
{
    // Null until the first round is requested.
    private Queue<Round>? _measured;

    /// <summary>There is nothing to warm up.</summary>
    public override bool WarmsUp => false;

    public override async Task<Round> RunAsync(CancellationToken cancellation)
    {
        _measured ??= new Queue<Round>(await Task.WhenAll(Enumerable.Range(0, rounds).Select(_ => round(cancellation))));
        return _measured.Dequeue();
    }
}
