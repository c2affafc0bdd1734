using Microsoft.Extensions.DependencyInjection;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Jobs;

/// <summary>The host of a chaos run, from one kill to the next.</summary>
/// <param name="services">Of the application.</param>
/// <param name="folder">Where its files are.</param>
internal sealed class ChaosProgram(IServiceProvider services, string folder)
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);
    private static readonly JobState[] Open = [JobState.Scheduled, JobState.Ready, JobState.Running];

    private readonly IJobs _jobs = services.GetRequiredService<IJobs>();
    private readonly IJobs<IChaosWorksClient> _works = services.GetRequiredService<IJobs<IChaosWorksClient>>();
    private readonly IJobs<IChaosWorkerWorksClient> _workers = services.GetRequiredService<IJobs<IChaosWorkerWorksClient>>();

    /// <summary>Completes when all jobs were accepted.</summary>
    public Task SubmitAsync(ControlLine request) => ChaosJobs.SubmitAsync(
        request,
        folder,
        async number =>
        {
            try
            {
                return (await EnqueueAsync((int)number)).Id.ToString();
            }
            catch (WeirException)
            {
                return null;
            }
        },
        async id => StateOf(await _jobs.Get(Guid.Parse(id)).WaitAsync()));

    /// <summary>Waits until all jobs have ended, for <c>seconds</c> at most, and writes down what the store has.</summary>
    public async Task SettleAsync(ControlLine request)
    {
        var began = Clock.Now;
        while (Clock.SecondsSince(began) < request.Number("seconds") && await IsOpenAsync())
            await Task.Delay(Look);

        await using var file = new StreamWriter(Path.Combine(folder, ChaosJobs.Final));
        Guid? before = null;
        while (await _jobs.ListAsync(new JobQuery { Before = before, Limit = JobsProgram.Part }) is { Count: > 0 } page)
        {
            foreach (var job in page)
                await file.WriteLineAsync($"{job.Id} {StateOf(job)}");
            before = page[^1].Id;
        }
    }

    private ValueTask<Job> EnqueueAsync(int number)
    {
        var options = new JobOptions { IdempotencyKey = FormattableString.Invariant($"chaos-{number}") };
        return (ChaosJobs.IsIsolated(number), ChaosJobs.IsRepeatable(number)) switch
        {
            (true, true) => _workers.EnqueueAsync(works => works.Repeatable(number), options),
            (true, false) => _workers.EnqueueAsync(works => works.Plain(number), options),
            (false, true) => _works.EnqueueAsync(works => works.Repeatable(number), options),
            _ => _works.EnqueueAsync(works => works.Plain(number), options),
        };
    }

    // A job that is between two states while this asks is found in one of them the next time.
    private async Task<bool> IsOpenAsync()
    {
        foreach (var state in Open.Concat(Open.Reverse()))
        {
            if ((await _jobs.ListAsync(new JobQuery { State = state, Limit = 1 })).Count > 0)
                return true;
        }

        return false;
    }

    private static string StateOf(JobInfo job) => job.Reason == JobReason.None ? $"{job.State}" : $"{job.State}({job.Reason})";
}
