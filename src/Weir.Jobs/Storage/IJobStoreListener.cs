namespace Weir.Jobs.Storage;

/// <summary>
/// What a store that several processes share reports of the others. Reports may come twice, late, and without a cause, from any thread, and one after the other; a report that is lost is made up for within 10 s.
/// Methods do not block, and do not throw.
/// </summary>
internal interface IJobStoreListener
{
    /// <summary>Jobs of these kinds may be ready.</summary>
    void Ready(IReadOnlyCollection<string> kinds);

    /// <summary>These kinds are paused, and no others.</summary>
    void Paused(IReadOnlyCollection<string> kinds);

    /// <summary>A job becomes ready, or has not begun in time, at this time: perhaps earlier than the last commit knew.</summary>
    void DueAt(DateTimeOffset due);

    /// <summary>A job that this process watches has changed, or may have.</summary>
    /// <param name="job">The job.</param>
    /// <param name="hasEnded">Whether it may have ended, or may have been deleted; otherwise it has items or progress.</param>
    void Changed(Guid job, bool hasEnded);

    /// <summary>These attempts, which this process runs, are to stop: a cancellation was asked for.</summary>
    void Stop(IReadOnlyList<AttemptId> attempts);

    /// <summary>Whether this process runs an attempt, or has not written its outcome yet.</summary>
    bool Runs(AttemptId attempt);

    /// <summary>Attempts whose process is presumed to be gone, of kinds that this process runs; and those that the store says run here, and do not. They are reported until their outcome is written.</summary>
    void Lost(IReadOnlyList<LostAttempt> attempts);

    /// <summary>
    /// This process cannot renew its lease, or was presumed to be gone: others may start what it runs. Jobs that may run twice are to stop; the others run on, and their outcomes count where no other attempt has begun.
    /// </summary>
    void LeaseLost();
}
