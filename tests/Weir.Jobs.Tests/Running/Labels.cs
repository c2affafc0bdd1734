namespace Weir.Jobs.Tests.Running;

/// <summary>Jobs that run in a worker.</summary>
[Service, Isolated("labels")]
public sealed class Labels
{
    [Job]
    public string Print(string text, OperationContext context) => $"{text} {context.Job!.Id} {context.Job.Attempt} {context.Job.Key}";

    [Job]
    public void Crash() => Environment.FailFast("the label printer is on fire");

    [Job, Idempotent]
    public void CrashEachTime(string file)
    {
        File.AppendAllText(file, "start\n");
        Environment.FailFast("again");
    }

    [Job, Throws(typeof(NotReadyException))]
    public void Refuse(string why) => throw new NotReadyException(why);

    [Job]
    public string Again(string file)
    {
        File.AppendAllText(file, "x");
        return new FileInfo(file).Length < 3 ? throw new JobRetryException(TimeSpan.FromMilliseconds(5)) : "done";
    }

    [Job]
    public async IAsyncEnumerable<byte[]> Pages(int count)
    {
        for (var page = 0; page < count; page++)
        {
            await Task.Yield();
            yield return [(byte)page];
        }
    }

    [Job]
    public async Task Wait(string file, CancellationToken ct)
    {
        await File.WriteAllTextAsync(file, "started", ct);
        await Task.Delay(Timeout.Infinite, ct);
    }

    [Job(Timeout = "00:00:00.100")]
    public Task WaitTooLong(CancellationToken ct) => Task.Delay(Timeout.Infinite, ct);

    [Job]
    public void Deaf(string file)
    {
        File.WriteAllText(file, "started");
        Thread.Sleep(Timeout.Infinite);
    }

    [Job, CancelsAfterwards]
    public void Count(string file) => File.AppendAllText(file, "x");

    /// <summary>Reports so many times, and ends when there is a file.</summary>
    [Job]
    public async Task Report(int times, string file, OperationContext context, CancellationToken ct)
    {
        for (var time = 1; time <= times; time++)
        {
            context.Job!.Report(time / (double)times, $"{time} of {times}");
        }

        while (!File.Exists(file))
        {
            await Task.Delay(5, ct);
        }
    }

    [Job]
    public void ReportAndFail(OperationContext context)
    {
        context.Job!.Report(0.25, "begins");
        context.Job.Report(0.75, "page 3 of 4");
        throw new InvalidOperationException("no paper");
    }
}

/// <summary>A filter that gives up, in the host, after the operation has run.</summary>
public sealed class CancelsAfterwardsAttribute : OperationFilterAttribute
{
    public override async ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        await next();
        throw new TaskCanceledException("A request of the filter took too long.");
    }
}
