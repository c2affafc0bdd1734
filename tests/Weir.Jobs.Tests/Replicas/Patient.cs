using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Replicas;

/// <summary>A job that may run twice, and waits.</summary>
[Service]
public sealed class Patient(Board board)
{
    [Job, Idempotent]
    public async Task Again(string gate, OperationContext context, CancellationToken ct)
    {
        board.Add($"{gate} {context.Job!.Attempt}");
        await board.Gate(gate).WaitAsync(ct);
    }

    [Job]
    public async IAsyncEnumerable<int> Pages(string gate)
    {
        yield return 0;
        await board.Gate(gate);
        yield return 1;
    }
}
