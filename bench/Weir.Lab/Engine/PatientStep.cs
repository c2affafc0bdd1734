namespace Weir.Lab.Engine;

/// <summary>Runs single steps of contenders, and gives up those that take too long.</summary>
internal sealed class PatientStep(TimeProvider time, TimeSpan patience, CancellationToken cancellation)
{
    /// <summary>Runs a step to its end, or until it is given up. Only the user's own wish to stop is thrown.</summary>
    public async Task<Outcome> RunAsync(Func<CancellationToken, Task> work)
    {
        using var enough = new CancellationTokenSource(patience, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(enough.Token, cancellation);
        var step = Task.CompletedTask;
        try
        {
            step = work(either.Token);
            await step.WaitAsync(either.Token);
            return new Outcome(null, step);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return new Outcome($"not done after {patience.TotalSeconds:0} s", step);
        }
        catch (Exception exception) when (!cancellation.IsCancellationRequested)
        {
            return new Outcome(exception.Message, step);
        }
    }

    /// <summary>How a step ended.</summary>
    /// <param name="Reason">Why it did not go well, or null.</param>
    /// <param name="Work">The step itself: one that was given up may still be running.</param>
    internal readonly record struct Outcome(string? Reason, Task Work);
}
