using System.Collections.Concurrent;

namespace Weir.Lab.Engine;

/// <summary>A case while it runs: the contenders that are still in it, and what was measured so far.</summary>
internal sealed class CaseRun : IAsyncDisposable
{
    // A method that has become hot is compiled again once no other was called for the first time during 100 ms.
    private static readonly TimeSpan PauseAfterWarmUp = TimeSpan.FromMilliseconds(150);

    // What takes microseconds would be run until the time limit; after so many pauses everything that is hot was compiled again.
    private const int MostWarmUps = 8;

    // Longer than it takes to ask a contender's process to exit, and to kill it if it does not.
    private static readonly TimeSpan LeavePatience = TimeSpan.FromSeconds(15);

    private readonly Case _case;
    private readonly TimeProvider _time;
    private readonly IRunObserver _observer;
    private readonly CancellationToken _cancellation;
    private readonly PatientStep _step;
    private readonly CaseResult _result = new();

    // In the order of the case, with the rounds of each. A contender that fails is removed from this list, with its rounds.
    private readonly List<(Contender Contender, List<Round> Rounds)> _running = [];

    public CaseRun(Case @case, TimeProvider time, IRunObserver observer, CancellationToken cancellation)
    {
        (_case, _time, _observer, _cancellation) = (@case, time, observer, cancellation);
        _step = new PatientStep(time, @case.Patience, cancellation);
        foreach (var contender in @case.Contenders)
            Enter(contender);
    }

    /// <summary>Starts every contender.</summary>
    public Task PrepareAsync() => UntimedAsync("starts", static (contender, token) => contender.PrepareAsync(token));

    /// <summary>Asks every contender the same question; one that does not answer like most is not measured.</summary>
    public async Task CompareAsync()
    {
        var answers = new ConcurrentDictionary<Contender, string>();
        await UntimedAsync("answers", async (contender, token) =>
        {
            if (await contender.AnswerAsync(token) is { } answer)
                answers[contender] = answer;
        });

        var inOrder = _running.Where(item => answers.ContainsKey(item.Contender)).Select(item => (item.Contender, answers[item.Contender]));
        foreach (var (contender, reason) in Answers.Differing([.. inOrder]).ToArray())
            await DropAsync(contender, reason, Task.CompletedTask);
    }

    /// <summary>Warms up the contenders that can be warmed up, one after the other.</summary>
    public async Task WarmUpAsync()
    {
        foreach (var (contender, _) in _running.Where(item => item.Contender.WarmsUp).ToArray())
            await WarmUpAsync(contender);
    }

    /// <summary>Measures every contender once. Every round begins with the next one, so that no contender always follows the same one.</summary>
    public async Task MeasureAsync(int round)
    {
        var step = $"round {round + 1} of {_case.Rounds}";
        if (_case.AtOnce)
        {
            await TogetherAsync(step, _running.Count, static async (item, token) => item.Rounds.Add(await item.Contender.RunAsync(token)));
            return;
        }

        var order = _running.ToArray();
        for (var i = 0; i < order.Length; i++)
        {
            var (contender, rounds) = order[(round + i) % order.Length];
            await StepAsync(contender, step, async token => rounds.Add(await contender.RunAsync(token)));
        }
    }

    /// <summary>The rounds of the contenders that are left: equally many each.</summary>
    public CaseResult Result()
    {
        _result.Rows.AddRange(_case.Given);
        foreach (var (contender, rounds) in _running.Where(item => item.Rounds.Count > 0))
        {
            _result.Rows.AddRange(Summarize(contender, rounds));
            if (contender.Runtime is { } runtime)
                _result.Runtimes[contender.Name] = runtime;
            if (rounds[^1].Timeline is { Count: > 0 } timeline)
                _result.Timelines.Add(new Timeline(contender.Name, _case.Name, timeline));
        }

        return _result;
    }

    public async ValueTask DisposeAsync()
    {
        var failures = await Task.WhenAll(_running.Select(item => EndAsync(item.Contender)));
        _result.Failed.AddRange(failures.OfType<Failure>());
    }

    private void Enter(Contender contender)
    {
        switch (contender.Availability)
        {
            case Availability.NotInstalled(var install):
                _result.Missing.Add(new Absence(contender.Name, install));
                break;
            case Availability.NotYet(var why):
                _result.Later.Add(new Absence(contender.Name, why));
                break;
            default:
                _running.Add((contender, []));
                break;
        }
    }

    private async Task WarmUpAsync(Contender contender)
    {
        var began = _time.GetTimestamp();
        var spent = TimeSpan.Zero;
        for (var runs = 1; ; runs++)
        {
            var start = _time.GetTimestamp();
            if (!await StepAsync(contender, $"warms up, {runs}", contender.WarmUpAsync) || _case.WarmFor == TimeSpan.Zero)
                return;

            spent += _time.GetElapsedTime(start);
            await Task.Delay(PauseAfterWarmUp, _time, _cancellation);
            if (runs > 1 && (spent >= _case.WarmFor || runs == MostWarmUps || _time.GetElapsedTime(began) >= _case.Patience))
                return;
        }
    }

    // Work that is not measured is done by all contenders at the same time, as far as there are processors.
    private Task UntimedAsync(string step, Func<Contender, CancellationToken, Task> work) =>
        TogetherAsync(step, Math.Max(2, Environment.ProcessorCount), (item, token) => work(item.Contender, token));

    // A contender that failed is removed after all have finished the step.
    private async Task TogetherAsync(string step, int most, Func<(Contender Contender, List<Round> Rounds), CancellationToken, Task> work)
    {
        using var places = new SemaphoreSlim(most);
        var outcomes = await Task.WhenAll(_running.Select(async item =>
        {
            await places.WaitAsync(_cancellation);
            try
            {
                return (item.Contender, Outcome: await TryAsync(item.Contender, step, token => work(item, token)));
            }
            finally
            {
                places.Release();
            }
        }));

        foreach (var (contender, (reason, left)) in outcomes)
        {
            if (reason is not null)
                await DropAsync(contender, $"{step}: {reason}", left);
        }
    }

    // Whether it succeeded; otherwise the contender is removed.
    private async Task<bool> StepAsync(Contender contender, string step, Func<CancellationToken, Task> work)
    {
        var (reason, left) = await TryAsync(contender, step, work);
        if (reason is not null)
            await DropAsync(contender, $"{step}: {reason}", left);
        return reason is null;
    }

    private Task<PatientStep.Outcome> TryAsync(Contender contender, string step, Func<CancellationToken, Task> work)
    {
        _observer.Step($"{_case.Name} · {contender.Name} · {step}");
        return _step.RunAsync(work);
    }

    // What it has started must not run beside the others, and half of its rounds are not a measurement.
    private async Task DropAsync(Contender contender, string reason, Task left)
    {
        _running.RemoveAll(item => item.Contender == contender);
        _result.Failed.Add(new Failure(contender.Name, _case.Name, reason));
        if (await EndAsync(contender) is { } failure)
            _result.Failed.Add(failure);
        await left.WaitAsync(LeavePatience, _time, _cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!left.IsCompleted)
            _result.Failed.Add(new Failure(contender.Name, _case.Name, $"continues {LeavePatience.TotalSeconds:0} s after it was ended: it may disturb the others"));
    }

    // What went wrong, or null.
    private async Task<Failure?> EndAsync(Contender contender)
    {
        try
        {
            await contender.DisposeAsync();
            return null;
        }
        catch (Exception exception)
        {
            return new Failure(contender.Name, _case.Name, $"ends: {exception.Message}");
        }
    }

    private IEnumerable<Row> Summarize(Contender contender, List<Round> measured) =>
        from reading in measured.SelectMany(round => round.Readings)
        group reading.Value by (reading.Metric, reading.Unit) into metric
        let summary = Summary.Of(metric)
        select new Row(contender.Name, _case.Name, metric.Key.Metric, summary.Median, summary.Low, summary.High, metric.Key.Unit)
        {
            Rounds = [.. measured.Select(round => round.Find(metric.Key.Metric, metric.Key.Unit))],
        };
}
