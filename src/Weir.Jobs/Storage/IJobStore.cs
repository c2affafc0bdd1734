using System.Data.Common;

namespace Weir.Jobs.Storage;

/// <summary>
/// Where jobs are. One flow at a time calls <see cref="CommitAsync"/>; everything else may be called concurrently. A store keeps rows and applies <see cref="Rules.JobRules"/> to them; it
/// knows no kind, no operation and no clock.
/// </summary>
internal interface IJobStore : IAsyncDisposable
{
    /// <summary>What the log calls it, with the version of the engine.</summary>
    string Description { get; }

    /// <summary>Whether what was committed survives the process.</summary>
    bool IsDurable { get; }

    /// <summary>Opens the store. Called once, before everything else.</summary>
    /// <param name="replica">This process: it owns the attempts that it claims.</param>
    /// <param name="cancellationToken">Ends the wait for a store that another process still has.</param>
    /// <returns>What was found.</returns>
    /// <exception cref="InvalidOperationException">Another process has it (WEIR3026), or it cannot be used (WEIR3027).</exception>
    ValueTask<JobStoreContent> OpenAsync(JobReplica replica, CancellationToken cancellationToken);

    /// <summary>
    /// Applies everything in a batch, in one commit, in this order: items, progress, pauses, events, jobs that are accepted, schedules, jobs that are due or too late, claims. Fills in what the batch asks for. When it returns,
    /// all of it is durable.
    /// </summary>
    /// <param name="batch">Not empty.</param>
    /// <exception cref="JobStoreException">Nothing of it was applied, or that is not known.</exception>
    ValueTask CommitAsync(JobBatch batch);

    /// <summary>Whether several processes share it: they hear of each other by <see cref="IJobStoreListener"/>.</summary>
    bool HasManyReplicas => false;

    /// <summary>What does not work although it commits, as a sentence for those who operate it; <c>null</c> while all does.</summary>
    string? Warning => null;

    /// <summary>Whether it deletes jobs that have ended itself, when their time is over.</summary>
    bool DeletesEnded => false;

    /// <summary>Begins to report what other processes do. Called once, after <see cref="OpenAsync"/>; a store for one process never reports anything.</summary>
    void Listen(IJobStoreListener listener)
    {
    }

    /// <summary>This process claims no more: others may take jobs that only it understood. What it runs stays its own until it ends.</summary>
    ValueTask LeaveAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// A job is waited for in this process, or its items are read: <see cref="IJobStoreListener.Changed"/> reports what other processes do with it. The caller asks for the job afterwards.
    /// </summary>
    ValueTask WatchAsync(Guid id, CancellationToken cancellationToken) => ValueTask.CompletedTask;

    /// <summary>Stores jobs in a transaction of the application: they exist if and only if it commits. They do not start with their acceptance.</summary>
    /// <param name="transaction">Of the same database.</param>
    /// <param name="jobs">At least one. Filled in as by a commit.</param>
    /// <param name="now">The time of it.</param>
    /// <param name="cancellationToken">Ends the wait; the transaction may be unusable afterwards.</param>
    /// <exception cref="NotSupportedException">The store knows no transactions of others.</exception>
    /// <exception cref="ArgumentException">The transaction is of another kind of database, or has ended.</exception>
    ValueTask AcceptAsync(DbTransaction transaction, IReadOnlyList<NewJob> jobs, DateTimeOffset now, CancellationToken cancellationToken) =>
        throw new NotSupportedException($"{Description} stores no jobs in transactions of an application: use PostgreSQL, jobs.UsePostgreSql(…), or submit after the commit.");

    /// <summary>How many jobs of kinds run in all processes, or could now: what a machine that adds and removes processes needs.</summary>
    /// <param name="kinds">The kinds.</param>
    /// <param name="cancellationToken">Ends the question.</param>
    async ValueTask<JobDemand> DemandAsync(IReadOnlyList<string> kinds, CancellationToken cancellationToken)
    {
        var counts = (await CountAsync(cancellationToken)).Where(count => kinds.Contains(count.Kind)).ToLookup(static count => count.State, static count => (long)count.Count);
        return new JobDemand(counts[JobState.Running].Sum(), counts[JobState.Ready].Sum());
    }

    /// <summary>A job; <c>null</c> where there is none.</summary>
    ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>The call of a job, for a new one like it; <c>null</c> where there is no such job.</summary>
    ValueTask<NewJob?> FindCallAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>The result of a job that succeeded, as <see cref="JobAction.Payload"/> had it, also where that was empty; <c>null</c> where it has not succeeded.</summary>
    ValueTask<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>The items of a job from an index on: as many as there are, up to about 1 MB and at least one; empty where there are none, and where the job has another <see cref="JobRecord.Run"/>.</summary>
    ValueTask<IReadOnlyList<ReadOnlyMemory<byte>>> ReadItemsAsync(Guid id, int run, long from, CancellationToken cancellationToken);

    /// <summary>The attempts of a job that ended without success, in order.</summary>
    ValueTask<IReadOnlyList<JobAttempt>> ReadAttemptsAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Jobs that meet all conditions, the last submitted first. None before a job that does not exist.</summary>
    ValueTask<IReadOnlyList<JobRecord>> ListAsync(JobQuery query, CancellationToken cancellationToken);

    /// <summary>How many jobs there are by kind and state, each counted to 10,001 at most.</summary>
    ValueTask<IReadOnlyList<JobCount>> CountAsync(CancellationToken cancellationToken);

    /// <summary>How many jobs of each kind wait, counted to a limit, and since when the oldest one that is ready has waited.</summary>
    ValueTask<IReadOnlyList<WaitingJobs>> CountWaitingAsync(long most, CancellationToken cancellationToken);

    /// <summary>Jobs that have ended, in the order in which they were submitted: one part of all.</summary>
    /// <param name="after">Where the part before ended; 0 begins.</param>
    /// <param name="cancellationToken">Ends the question.</param>
    ValueTask<EndedJobs> ReadEndedAsync(long after, CancellationToken cancellationToken);

    /// <summary>How many bytes everything that is stored takes; <c>null</c> where the store does not know.</summary>
    ValueTask<long?> SizeAsync(CancellationToken cancellationToken);

    /// <summary>The schedules, by name, also those that no process declares now.</summary>
    ValueTask<IReadOnlyList<ScheduleRecord>> ListSchedulesAsync(CancellationToken cancellationToken);
}
