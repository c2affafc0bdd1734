using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>Starts jobs in place of the scheduler, in the tests of an application. Any thread.</summary>
internal interface IJobDriver
{
    /// <summary>Stores jobs, all of them in one commit, and runs those that are to run before their submission returns.</summary>
    Task AcceptAsync(NewJobRequest[] jobs, CancellationToken cancellationToken);

    /// <summary>A job that has not ended is waited for: in the code of another job, it runs now.</summary>
    /// <returns>Whether it may have changed, so that it is to be looked at again.</returns>
    /// <exception cref="InvalidOperationException">It can never run while the other one waits for it.</exception>
    ValueTask<bool> WaitedForAsync(JobRecord job);

    /// <summary>The outcome of an attempt is durable, or the store has failed for good.</summary>
    void Ended(JobRun run);
}
