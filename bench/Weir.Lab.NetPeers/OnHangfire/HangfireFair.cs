using Hangfire;
using Hangfire.States;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;
using HangfireJob = Hangfire.Common.Job;

namespace Weir.Lab.NetPeers.OnHangfire;

/// <summary>A backlog of one tenant or kind, and a single job of another. Hangfire has no order but that of its queues: one for all, or one for each tenant.</summary>
/// <param name="client">Submits jobs.</param>
/// <param name="ends">Notices their ends.</param>
/// <param name="folder">Where jobs write down that they begin.</param>
/// <param name="hasQueues">Whether each tenant has a queue.</param>
internal sealed class HangfireFair(BackgroundJobClient client, Ends ends, string folder, bool hasQueues)
{
    /// <summary>The queues of two tenants, in the order in which a server looks at them: the one with the backlog first, as one of them is.</summary>
    public static readonly string[] Queues = ["a", "b"];

    private int _filled;

    public void Fill(ControlLine request)
    {
        for (var last = _filled + request.Int("count"); _filled < last; _filled++)
        {
            var number = _filled;
            client.Create(HangfireJob.FromExpression(() => HangfireWorks.OfBacklog(number)), State(Queues[0]));
        }
    }

    public async Task<IEnumerable<ControlLine>> RunAsync(ControlLine request) =>
    [
        .. await FairRounds.RunAsync(request, folder, _filled, number => Task.FromResult<Task>(ends.WaitAsync(client.Create(HangfireJob.FromExpression(() => HangfireWorks.Single(number)), State(Queues[1]))))),
        Readings.Done(),
    ];

    private EnqueuedState State(string queue) => hasQueues ? new EnqueuedState(queue) : new EnqueuedState();
}
