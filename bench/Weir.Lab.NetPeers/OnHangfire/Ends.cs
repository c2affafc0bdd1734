using System.Collections.Concurrent;
using Hangfire.Common;
using Hangfire.States;
using Hangfire.Storage;

namespace Weir.Lab.NetPeers.OnHangfire;

/// <summary>
/// Hangfire has no way to wait for the end of a job. This filter hears of it in the transaction that writes the end, which is a little before that is durable: in its favour.
/// </summary>
internal sealed class Ends : JobFilterAttribute, IApplyStateFilter
{
    // As many as jobs are waited for.
    private readonly ConcurrentDictionary<string, TaskCompletionSource<IState>> _waiting = new();

    /// <summary>Waits for the end of a job, once.</summary>
    public async Task<IState> WaitAsync(string job)
    {
        var state = await Of(job).Task;
        _waiting.TryRemove(job, out _);
        return state;
    }

    public void OnStateApplied(ApplyStateContext context, IWriteOnlyTransaction transaction)
    {
        if (context.NewState is SucceededState or FailedState)
            Of(context.BackgroundJob.Id).TrySetResult(context.NewState);
    }

    public void OnStateUnapplied(ApplyStateContext context, IWriteOnlyTransaction transaction)
    {
    }

    private TaskCompletionSource<IState> Of(string job) => _waiting.GetOrAdd(job, static _ => new(TaskCreationOptions.RunContinuationsAsynchronously));
}
