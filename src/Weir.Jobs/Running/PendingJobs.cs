namespace Weir.Jobs.Running;

/// <summary>A submission that is to be written, in one commit, and who waits until it is.</summary>
/// <param name="requests">The jobs.</param>
/// <param name="cancellationToken">Counts until they are handed over.</param>
internal sealed class PendingJobs(NewJobRequest[] requests, CancellationToken cancellationToken) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    private int _isDecided;

    public NewJobRequest[] Requests => requests;

    /// <summary>Of their arguments.</summary>
    public long Bytes { get; } = requests.Sum(static request => (long)request.Job.Arguments.Length);

    /// <summary>It goes into a commit, unless its caller left before.</summary>
    public bool TryHandOver() => Interlocked.Exchange(ref _isDecided, 1) == 0;

    public void TryCancel()
    {
        if (Interlocked.Exchange(ref _isDecided, 1) == 0)
        {
            TrySetCanceled(cancellationToken);
        }
    }
}
