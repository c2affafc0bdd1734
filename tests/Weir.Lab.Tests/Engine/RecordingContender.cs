using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

/// <summary>A contender that writes down what was asked of it.</summary>
internal sealed class RecordingContender(string name, List<string> log) : Contender(name)
{
    private int _rounds;

    public string? Answer { get; init; }

    public string Metric { get; init; } = "rate";

    public double[] Values { get; init; } = [1, 2, 3];

    /// <summary>What else a round gives, by its number from 1.</summary>
    public Func<int, IReadOnlyList<Reading>> Also { get; init; } = _ => [];

    public Func<CancellationToken, Task>? OnRun { get; init; }

    public Func<Task>? OnPrepare { get; init; }

    public Func<Task>? OnWarmUp { get; init; }

    public Action? OnEnd { get; init; }

    public bool CanBeWarmed { get; init; } = true;

    public override bool WarmsUp => CanBeWarmed;

    public override async Task PrepareAsync(CancellationToken cancellation)
    {
        log.Add($"{Name} prepares");
        if (OnPrepare is not null)
            await OnPrepare();
    }

    public override Task<string?> AnswerAsync(CancellationToken cancellation)
    {
        log.Add($"{Name} answers");
        return Task.FromResult(Answer);
    }

    public override Task WarmUpAsync(CancellationToken cancellation)
    {
        log.Add($"{Name} warms up");
        return OnWarmUp?.Invoke() ?? Task.CompletedTask;
    }

    public override async Task<Round> RunAsync(CancellationToken cancellation)
    {
        log.Add($"{Name} runs");
        if (OnRun is not null)
            await OnRun(cancellation);
        var round = new Round().Add(Metric, Values[_rounds++ % Values.Length], "1/s");
        foreach (var reading in Also(_rounds))
            round.Add(reading.Metric, reading.Value, reading.Unit);
        return round;
    }

    public override ValueTask DisposeAsync()
    {
        log.Add($"{Name} ends");
        OnEnd?.Invoke();
        return base.DisposeAsync();
    }
}
