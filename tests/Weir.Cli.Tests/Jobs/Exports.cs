using System.Runtime.CompilerServices;

namespace Weir.Cli.Tests.Jobs;

/// <summary>What the tests submit.</summary>
[Service]
public sealed class Exports(ExportGate gate)
{
    [Job]
    public async Task<string> Build(string name, int steps, OperationContext context, CancellationToken ct)
    {
        context.Job?.Report(0.5, $"half of {name}");
        await gate.Opened.WaitAsync(ct);
        return $"{name}: {steps}";
    }

    [Job(Attempts = 1)]
    public string Refuse(string why) => throw new InvalidOperationException(why);

    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<long> Rows(int count, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var row = from; row < count; row++)
        {
            await Task.Delay(5, ct);
            yield return row;
        }
    }

    [Job, Schedule("0 3 * * *")]
    public void Nightly()
    {
    }

    [Post]
    public string Direct() => "direct";
}

/// <summary>Lets builds end.</summary>
public sealed class ExportGate
{
    private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task Opened => _opened.Task;

    public void Open() => _opened.TrySetResult();
}
