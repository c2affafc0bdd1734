using Hangfire;
using Hangfire.States;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using HangfireJob = Hangfire.Common.Job;

namespace Weir.Lab.NetPeers.OnHangfire;

/// <summary>The host of a chaos run, from one kill to the next. Hangfire has no key under which a submission can be repeated.</summary>
/// <param name="storage">Where the jobs are.</param>
/// <param name="client">Submits jobs.</param>
/// <param name="ends">Notices their ends.</param>
/// <param name="folder">Where the files are.</param>
internal sealed class HangfireChaos(JobStorage storage, BackgroundJobClient client, Ends ends, string folder)
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    /// <summary>Completes when all jobs were accepted.</summary>
    public Task SubmitAsync(ControlLine request) =>
        ChaosJobs.SubmitAsync(request, folder, number => Task.FromResult(TryCreate(number)), async id => (await ends.WaitAsync(id)).Name);

    /// <summary>Waits until all jobs have ended, for <c>seconds</c> at most, and writes down what the store has.</summary>
    public async Task SettleAsync(ControlLine request)
    {
        var began = Clock.Now;
        var monitor = storage.GetMonitoringApi();
        while (Clock.SecondsSince(began) < request.Number("seconds") && monitor.GetStatistics() is { } now && now.Enqueued + now.Processing + now.Scheduled > 0)
            await Task.Delay(Look);

        await using var file = new StreamWriter(Path.Combine(folder, ChaosJobs.Final));
        using var connection = storage.GetConnection();
        foreach (var id in ChaosJobs.Accepted(folder).Select(static job => job.Id).Distinct())
        {
            if (connection.GetStateData(id) is { } state)
                await file.WriteLineAsync($"{id} {state.Name}");
        }
    }

    private string? TryCreate(long number)
    {
        try
        {
            return client.Create(
                ChaosJobs.IsRepeatable(number) ? HangfireJob.FromExpression(() => HangfireWorks.Repeatable(number)) : HangfireJob.FromExpression(() => HangfireWorks.Plain(number)), new EnqueuedState());
        }
        catch (BackgroundJobClientException)
        {
            return null;
        }
    }
}
