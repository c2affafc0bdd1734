namespace Weir.Lab.Engine;

/// <summary>Runs one case: contenders alternate, so that whatever the machine does meanwhile meets all of them alike.</summary>
internal sealed class RoundScheduler(TimeProvider time, IRunObserver observer)
{
    /// <summary>
    /// 1. Prepare all; 2. compare answers; 3. warm up; 4. rounds A B C, A B C, …; 5. dispose all, whatever happened.
    /// A contender that breaks drops out of the case and is reported; the others go on.
    /// </summary>
    public async Task<CaseResult> RunAsync(Case @case, CancellationToken cancellation)
    {
        var result = new CaseResult();
        result.Rows.AddRange(@case.Given);
        var running = Sift(@case, result);
        var rounds = running.ToDictionary(contender => contender, _ => new List<Round>());
        try
        {
            await EachAsync("starts", contender => contender.PrepareAsync);
            await CompareAsync();
            if (@case.WarmUp)
                await EachAsync("warms up", contender => contender.WarmUpAsync);

            for (var round = 1; round <= @case.Rounds; round++)
            {
                await EachAsync($"round {round} of {@case.Rounds}", contender => async token =>
                    rounds[contender].Add(await contender.RunAsync(token)));
            }
        }
        finally
        {
            foreach (var contender in @case.Contenders)
                await contender.DisposeAsync();
        }

        foreach (var (contender, measured) in rounds.Where(pair => pair.Value.Count > 0))
            Summarize(contender, measured);
        return result;

        async Task EachAsync(string step, Func<Contender, Func<CancellationToken, Task>> work)
        {
            foreach (var contender in running.ToArray())
            {
                observer.Step($"{@case.Name} · {contender.Name} · {step}");
                if (await FailureOfAsync(work(contender)) is { } reason)
                    Drop(contender, $"{step}: {reason}");
            }
        }

        async Task CompareAsync()
        {
            var answers = new List<(Contender, string)>();
            await EachAsync("answers", contender => async token =>
            {
                if (await contender.AnswerAsync(token) is { } answer)
                    answers.Add((contender, answer));
            });
            foreach (var (contender, reason) in Answers.Differing(answers).ToArray())
                Drop(contender, reason);
        }

        // Null when all went well. Only the user's own wish to stop ends the run.
        async Task<string?> FailureOfAsync(Func<CancellationToken, Task> work)
        {
            using var patience = new CancellationTokenSource(@case.Patience, time);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, cancellation);
            try
            {
                await work(either.Token).WaitAsync(either.Token);
                return null;
            }
            catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
            {
                return $"not done after {@case.Patience.TotalSeconds:0} s";
            }
            catch (Exception exception) when (!cancellation.IsCancellationRequested)
            {
                return exception.Message;
            }
        }

        void Drop(Contender contender, string reason)
        {
            running.Remove(contender);
            result.Failed.Add(new Failure(contender.Name, @case.Name, reason));
        }

        void Summarize(Contender contender, List<Round> measured)
        {
            var metrics = measured.SelectMany(round => round.Readings).GroupBy(reading => (reading.Metric, reading.Unit));
            foreach (var metric in metrics)
            {
                var (median, low, high) = Summary.Of(metric.Select(reading => reading.Value));
                result.Rows.Add(new Row(contender.Name, @case.Name, metric.Key.Metric, median, low, high, metric.Key.Unit));
            }

            if (measured[^1].Timeline is { Count: > 0 } timeline)
                result.Timelines.Add(new Timeline(contender.Name, @case.Name, timeline));
        }
    }

    private static List<Contender> Sift(Case @case, CaseResult result)
    {
        var present = new List<Contender>();
        foreach (var contender in @case.Contenders)
        {
            switch (contender.Availability)
            {
                case Availability.NotInstalled(var install):
                    result.Missing.Add(new Absence(contender.Name, install));
                    break;
                case Availability.NotYet(var why):
                    result.Later.Add(new Absence(contender.Name, why));
                    break;
                default:
                    present.Add(contender);
                    break;
            }
        }

        return present;
    }
}
