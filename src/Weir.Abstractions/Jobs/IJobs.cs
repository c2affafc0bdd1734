namespace Weir;

/// <summary>The jobs of an application. Injectable where <c>AddWeirJobs</c> was called; one per application; may be used concurrently.</summary>
public interface IJobs
{
    /// <summary>The application's schedules.</summary>
    IJobSchedules Schedules { get; }

    /// <summary>A handle of a job that may have a result of any type, or none. It is not looked up.</summary>
    /// <param name="id">Its id.</param>
    Job Get(Guid id);

    /// <summary>A handle of a job with a result. It is not looked up.</summary>
    /// <typeparam name="T">The result's type.</typeparam>
    /// <param name="id">Its id.</param>
    Job<T> Get<T>(Guid id);

    /// <summary>A handle of a job whose operation is a stream. It is not looked up.</summary>
    /// <typeparam name="T">The item's type.</typeparam>
    /// <param name="id">Its id.</param>
    JobStream<T> GetStream<T>(Guid id);

    /// <summary>Lists jobs.</summary>
    /// <param name="query">Which; <c>null</c> for the last 100.</param>
    /// <param name="cancellationToken">Ends the question.</param>
    /// <exception cref="ArgumentOutOfRangeException"><see cref="JobQuery.Limit"/> is below 1 or above 1,000.</exception>
    ValueTask<IReadOnlyList<JobInfo>> ListAsync(JobQuery? query = null, CancellationToken cancellationToken = default);

    /// <summary>How many jobs there are, by kind and state: counted at most 10 s ago, and up to 10,000.</summary>
    /// <param name="cancellationToken">Ends the question.</param>
    ValueTask<IReadOnlyList<JobCount>> CountsAsync(CancellationToken cancellationToken = default);

    /// <summary>The attempts of a job that ended without success, the first one first: with exceptions and crash reports.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the question.</param>
    ValueTask<IReadOnlyList<JobAttemptInfo>> AttemptsAsync(Guid id, CancellationToken cancellationToken = default);

    /// <summary>
    /// Begins a job again that failed, was cancelled or expired, as if it were new; its items are dropped. One that waits is ready at once. Of one that succeeded, a new job with the
    /// same call is made.
    /// </summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <returns>The job that runs, the same or a new one.</returns>
    /// <exception cref="JobException">There is no such job, or it runs.</exception>
    ValueTask<Job> RetryAsync(Guid id, CancellationToken cancellationToken = default);

    /// <summary>The arguments of a job, as a JSON object with a member for each parameter; arguments of bytes are missing in it.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the question.</param>
    /// <exception cref="JobException">There is no such job, or what is stored of its arguments is damaged.</exception>
    ValueTask<string> ArgumentsAsync(Guid id, CancellationToken cancellationToken = default);

    /// <summary>
    /// Gives a job that waits, or that has ended without success, other arguments: they are bound and validated as those of a call are. The next attempt has them; of a job that has ended, begin one with
    /// <see cref="RetryAsync"/>. Those before are kept with its attempts. Arguments of bytes stay.
    /// </summary>
    /// <param name="id">Its id.</param>
    /// <param name="arguments">A JSON object with a member for each parameter that has no default.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <returns>The job afterwards.</returns>
    /// <exception cref="BindingException">They do not fit the operation, or are not valid: with all errors.</exception>
    /// <exception cref="PayloadTooLargeException">They are too large.</exception>
    /// <exception cref="JobException">There is no such job, this process has no operation of its kind, or it runs or has succeeded.</exception>
    ValueTask<JobInfo> EditAsync(Guid id, string arguments, CancellationToken cancellationToken = default);

    /// <summary>The kinds of this application, by name.</summary>
    /// <param name="cancellationToken">Ends the question.</param>
    ValueTask<IReadOnlyList<JobKindInfo>> KindsAsync(CancellationToken cancellationToken = default);

    /// <summary>Pauses a kind: no job of it starts until it is resumed, in no process of the store, also after a restart. Jobs are still accepted; those that run go on.</summary>
    /// <param name="kind">Its name, without regard to case.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <exception cref="ArgumentException">This application has no such kind.</exception>
    ValueTask PauseAsync(string kind, CancellationToken cancellationToken = default);

    /// <summary>Lets jobs of a kind start again.</summary>
    /// <param name="kind">Its name, without regard to case.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <exception cref="ArgumentException">This application has no such kind.</exception>
    ValueTask ResumeAsync(string kind, CancellationToken cancellationToken = default);

    /// <summary>Asks a job to stop: see <see cref="Job.CancelAsync"/>.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    ValueTask<JobInfo?> CancelAsync(Guid id, CancellationToken cancellationToken = default);

    /// <summary>Deletes a job that has ended, with its result, its items and its attempts.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <returns>Whether there was such a job.</returns>
    /// <exception cref="JobException">It has not ended.</exception>
    ValueTask<bool> PurgeAsync(Guid id, CancellationToken cancellationToken = default);
}
