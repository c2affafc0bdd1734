using Weir.AspNetCore.Streaming;
using Weir.Jobs.AspNetCore.Hosting;
using Weir.Jobs.Storage;

namespace Weir.Jobs.AspNetCore.Waiting;

/// <summary>Requests that wait for the end of a job. They hold no thread. Used concurrently.</summary>
/// <param name="services">The application.</param>
/// <param name="shutdown">A host that stops ends them.</param>
internal sealed class JobWaits(JobServices services, ShutdownCut shutdown)
{
    private int _count;

    /// <summary>How many requests of a process wait at once. Others are answered at once. 1,000 but in tests.</summary>
    public int Most { get; set; } = 1_000;

    /// <summary>How many wait now.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Waits until a job has ended, or for a while.</summary>
    /// <param name="job">As it was.</param>
    /// <param name="time">How long.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    /// <returns>The job as it is then, <c>null</c> where it was deleted; and whether the request has waited.</returns>
    public async ValueTask<(JobRecord? Job, bool HasWaited)> WaitAsync(JobRecord job, TimeSpan time, CancellationToken cancellationToken)
    {
        if (job.Status.HasEnded || time <= TimeSpan.Zero)
        {
            return (job, true);
        }

        if (Interlocked.Increment(ref _count) > Most)
        {
            Interlocked.Decrement(ref _count);
            return (job, false);
        }

        using var over = new CancellationTokenSource(time, services.Engine.Time);
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(over.Token, shutdown.Begun, cancellationToken);
        try
        {
            return (await services.Jobs.EndAsync(job.Id, ends.Token), true);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return (await services.Jobs.FindAsync(job.Id, cancellationToken), true);
        }
        catch (JobException gone) when (gone.State is null)
        {
            return (null, true);
        }
        finally
        {
            Interlocked.Decrement(ref _count);
        }
    }
}
