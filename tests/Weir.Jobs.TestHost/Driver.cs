using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;

namespace Weir.Jobs.TestHost;

/// <summary>Submits jobs as it was asked to, and writes down what was answered: "accepted id call", "rejected code", "unknown id", "cancelled id", "ended id".</summary>
/// <param name="work">Submits jobs in the host.</param>
/// <param name="isolated">Submits jobs in workers.</param>
/// <param name="jobs">What became of them.</param>
/// <param name="configuration">Mode, Calls, Seed, After, Pause and Submitters.</param>
/// <param name="lifetime">Of the host, which it stops in the end.</param>
internal sealed class Driver(IJobs<IWorkClient> work, IJobs<IIsolatedWorkClient> isolated, IJobs jobs, IConfiguration configuration, IHostApplicationLifetime lifetime) : IDisposable
{
    private static readonly byte[] Bulk = new byte[250_000];

    private readonly Journal _answers = new(Path.Combine(Environment.GetEnvironmentVariable(Oracle.Variable)!, $"answers-{Guid.NewGuid():N}"));
    private readonly int _submitters = configuration.GetValue("Submitters", 4);
    private readonly int _seed = configuration.GetValue("Seed", 1);
    private readonly TimeSpan _after = configuration.GetValue("After", TimeSpan.Zero);
    private readonly TimeSpan _pause = configuration.GetValue("Pause", TimeSpan.Zero);
    private int _next = -1;

    public async Task RunAsync()
    {
        try
        {
            var calls = Calls();
            switch (configuration["Mode"])
            {
                // All of them once, until they have ended.
                case "submit":
                    await InParallelAsync(() => Interlocked.Increment(ref _next) is var index && index < calls.Count ? SubmitAsync(calls[index], index) : null);
                    await WhenEndedAsync();
                    break;

                // All of them once, not waiting for their end.
                case "leave":
                    await InParallelAsync(() => Interlocked.Increment(ref _next) is var index && index < calls.Count ? SubmitAsync(calls[index], index) : null);
                    break;

                // All of them once, running them until the host stops.
                case "leave-and-wait":
                    await InParallelAsync(() => Interlocked.Increment(ref _next) is var index && index < calls.Count ? SubmitAsync(calls[index], index) : null);
                    await Task.Delay(Timeout.Infinite, lifetime.ApplicationStopping).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    break;

                // Again and again until the host stops.
                case "load":
                    await InParallelAsync(() => lifetime.ApplicationStopping.IsCancellationRequested ? null : SubmitAndPauseAsync(calls[Interlocked.Increment(ref _next) % calls.Count], _next));
                    break;

                // And on, until nothing runs any more.
                case "stubborn":
                    await InParallelAsync(() => lifetime.ApplicationStopped.IsCancellationRequested ? null : SubmitAsync(calls[Interlocked.Increment(ref _next) % calls.Count], _next));
                    break;
                case "equal":
                    await EqualAsync();
                    await WhenEndedAsync();
                    break;
                case "cancel":
                    await InParallelAsync(() => Interlocked.Increment(ref _next) is var index && index < calls.Count ? CancelAsync(calls[index], index) : null);
                    break;

                // All of them once, each until its end was reported; one of four is cancelled.
                case "follow":
                    await InParallelAsync(() => Interlocked.Increment(ref _next) is var index && index < calls.Count ? FollowAsync(calls[index], index) : null);
                    await WhenEndedAsync();
                    break;
                case "finish":
                    await WhenEndedAsync();
                    break;
                default:
                    await Task.Delay(Timeout.Infinite, lifetime.ApplicationStopping).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    break;
            }
        }
        catch (OperationCanceledException) when (lifetime.ApplicationStopping.IsCancellationRequested)
        {
            // It was stopped before all had ended.
        }
        catch (Exception failure)
        {
            Console.WriteLine($"The driver gave up: {failure}");
        }
        finally
        {
            lifetime.StopApplication();
        }
    }

    public void Dispose() => _answers.Dispose();

    // "Once*20,Pages*3", in an order by the seed.
    private List<string> Calls()
    {
        var calls = (configuration["Calls"] ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries)
            .Select(static call => call.Split('*'))
            .SelectMany(static call => Enumerable.Repeat(call[0], call.Length > 1 ? int.Parse(call[1], System.Globalization.CultureInfo.InvariantCulture) : 1))
            .ToArray();
        if (_seed != 0)
        {
            new Random(_seed).Shuffle(calls);
        }

        return [.. calls];
    }

    private Task InParallelAsync(Func<Task?> next) => Task.WhenAll(Enumerable.Range(0, _submitters).Select(_ => Task.Run(async () =>
    {
        while (next() is { } one)
        {
            await one;
        }
    })));

    private async Task SubmitAndPauseAsync(string call, int number)
    {
        await SubmitAsync(call, number);
        if (_pause > TimeSpan.Zero)
        {
            await Task.Delay(_pause);
        }
    }

    private async Task<Job?> SubmitAsync(string call, int number, string? key = null)
    {
        var options = new JobOptions { IdempotencyKey = key, After = _after == TimeSpan.Zero ? null : _after };
        try
        {
            var job = await EnqueueAsync(call, number, options);
            _answers.Write($"accepted {job.Id} {call}{(key is null ? "" : " " + key)}");
            return job;
        }
        catch (CallRejectedException rejected)
        {
            _answers.Write($"rejected {rejected.Code}");
            await Task.Delay(5);
        }
        catch (JobOutcomeUnknownException unknown)
        {
            _answers.Write($"unknown {unknown.Id}");
        }

        return null;
    }

    private async ValueTask<Job> EnqueueAsync(string call, int number, JobOptions options) => call switch
    {
        "Once" => await work.EnqueueAsync(work => work.Once(number), options),
        "Repeatable" => await work.EnqueueAsync(work => work.Repeatable(number), options),
        "Pages" => await work.EnqueueAsync(work => work.Pages(number), options),
        "Flaky" => await work.EnqueueAsync(work => work.Flaky(number), options),
        "Again" => await work.EnqueueAsync(work => work.Again(number), options),
#if NEXT
        "Changed" => await work.EnqueueAsync(work => work.Changed($"{number}", Guid.Empty), options),
#else
        "Changed" => await work.EnqueueAsync(work => work.Changed(number), options),
#endif
        "Echo" => await work.EnqueueAsync(work => work.Echo(Content(number)), options),
        "Bulky" => await work.EnqueueAsync(work => work.Bulky(Bulk), options),
        "Slow" => await work.EnqueueAsync(work => work.Slow(number), options),
        "SlowRepeatable" => await work.EnqueueAsync(work => work.SlowRepeatable(number), options),
        "Long" => await work.EnqueueAsync(work => work.Long(number), options),
        "LongRepeatable" => await work.EnqueueAsync(work => work.LongRepeatable(number), options),
        "Deaf" => await work.EnqueueAsync(work => work.Deaf(60_000), options),
        "BriefDeaf" => await work.EnqueueAsync(work => work.Deaf(50), options),
        "FailsOnce" => await work.EnqueueAsync(work => work.FailsOnce(number), options),
        "EndsHost" => await work.EnqueueAsync(work => work.EndsHost(number), options),
        "EndsHostRepeatable" => await work.EnqueueAsync(work => work.EndsHostRepeatable(number), options),
        "Isolated" => await isolated.EnqueueAsync(work => work.Once(number), options),
        "IsolatedRepeatable" => await isolated.EnqueueAsync(work => work.Repeatable(number), options),
        "Alone" => await work.EnqueueAsync(work => work.AloneRepeatable($"host-{number % 3}"), options),
        "IsolatedAlone" => await isolated.EnqueueAsync(work => work.AloneRepeatable($"worker-{number % 3}"), options),
        "Endless" => await isolated.EnqueueAsync(work => work.Endless(number), options),
        "EndsWorker" => await isolated.EnqueueAsync(work => work.EndsWorker(number), options),
        "EndsWorkerRepeatable" => await isolated.EnqueueAsync(work => work.EndsWorkerRepeatable(number), options),
        _ => throw new InvalidOperationException($"There is no call '{call}'."),
    };

    private async Task WhenEndedAsync()
    {
        while (!await HaveEndedAsync())
        {
            await Task.Delay(20, lifetime.ApplicationStopping);
        }
    }

    private async Task<bool> HaveEndedAsync()
    {
        foreach (var state in new[] { JobState.Scheduled, JobState.Ready, JobState.Running, JobState.Ready, JobState.Scheduled })
        {
            if ((await jobs.ListAsync(new JobQuery { State = state, Limit = 1 })).Count > 0)
            {
                return false;
            }
        }

        return true;
    }

    // 64 callers at once with one key, key after key.
    private async Task EqualAsync()
    {
        for (var key = 0; key < configuration.GetValue("Keys", 1); key++)
        {
            await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => Task.Run(() => SubmitAsync("Once", key, $"key-{key}"))));
        }
    }

    private async Task CancelAsync(string call, int number)
    {
        if (await SubmitAsync(call, number) is not { } job)
        {
            return;
        }

        await CancelAsync(job, number);
        await job.WaitAsync();
        Oracle.Write($"ended {job.Id}");
    }

    private async Task CancelAsync(Job job, int number)
    {
        // From before its start until after its end.
        var random = new Random(_seed + number);
        await Task.Delay(random.Next(4) == 0 ? 0 : random.Next(30));
        await job.CancelAsync();
        _answers.Write($"cancelled {job.Id}");
    }

    private async Task FollowAsync(string call, int number)
    {
        if (await SubmitAsync(call, number) is not { } job)
        {
            return;
        }

        if (number % 4 == 3)
        {
            await CancelAsync(job, number);
        }

        await job.WaitAsync();
        _answers.Write($"ended {job.Id}");
    }

    // No two are alike: in the row, in one piece beside it, and in several.
    private static byte[] Content(int number)
    {
        var bytes = new byte[(number % 8) switch { 0 => 300_000, 1 => 60_000, 2 => 3_000, var rest => rest * 100 }];
        new Random(number).NextBytes(bytes);
        return bytes;
    }
}
