using System.Data.Common;

namespace Weir;

/// <summary>
/// Submits calls of one contract as jobs: <c>await reports.EnqueueAsync(r =&gt; r.Build(2026))</c>. Injectable where <c>AddWeirJobs</c> was called, for every contract and every generated
/// <c>I{Class}Client</c> whose operations have <see cref="JobAttribute"/>; and in other programs, over HTTP, by <c>AddWeirClient&lt;T&gt;(…).AddJobs()</c>. May be used concurrently.
/// </summary>
/// <remarks>
/// <para>
/// The lambda makes exactly one call, on what it is given, and does not await it: the call is recorded, not run. The arguments are validated as those of a direct call are. A token that is passed
/// in the call would mean nothing, and is refused: pass it to <c>EnqueueAsync</c>.
/// </para>
/// <para>
/// When the method returns, the job is stored. Its token counts until the write was handed over; then the commit is awaited. Methods throw <see cref="BindingException"/> for arguments that are not valid,
/// <see cref="PayloadTooLargeException"/> for arguments that are too large, <see cref="JobKeyReusedException"/> for an idempotency key that another call has, <see cref="CallRejectedException"/>
/// where the store cannot take the job now, <see cref="JobOutcomeUnknownException"/> where it may have taken it, and <see cref="InvalidOperationException"/> where the lambda does not make one call of an operation
/// with <see cref="JobAttribute"/>.
/// </para>
/// </remarks>
/// <typeparam name="T">A contract, or a generated <c>I{Class}Client</c>.</typeparam>
public interface IJobs<T>
    where T : class
{
    /// <summary>Submits a call with a result.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="call">Makes the call.</param>
    /// <param name="options">How; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the job.</param>
    ValueTask<Job<TResult>> EnqueueAsync<TResult>(Func<T, ValueTask<TResult>> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with a result.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="call">Makes the call.</param>
    /// <param name="options">How; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the job.</param>
    ValueTask<Job<TResult>> EnqueueAsync<TResult>(Func<T, Task<TResult>> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with no result.</summary>
    /// <param name="call">Makes the call.</param>
    /// <param name="options">How; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the job.</param>
    ValueTask<Job> EnqueueAsync(Func<T, ValueTask> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with no result.</summary>
    /// <param name="call">Makes the call.</param>
    /// <param name="options">How; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the job.</param>
    ValueTask<Job> EnqueueAsync(Func<T, Task> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with a stream.</summary>
    /// <typeparam name="TItem">The type of the item.</typeparam>
    /// <param name="call">Makes the call.</param>
    /// <param name="options">How; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the job.</param>
    ValueTask<JobStream<TItem>> EnqueueAsync<TItem>(Func<T, IAsyncEnumerable<TItem>> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with a result for each argument: all of them, or none.</summary>
    /// <typeparam name="TArgument">What the calls are made of.</typeparam>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="arguments">At most 1,000, whose calls have at most 16 MB together; more are an <see cref="ArgumentException"/>.</param>
    /// <param name="call">Makes the call of one of them.</param>
    /// <param name="options">How all of them are submitted, without an idempotency key; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the jobs.</param>
    ValueTask<IReadOnlyList<Job<TResult>>> EnqueueManyAsync<TArgument, TResult>(IEnumerable<TArgument> arguments, Func<T, TArgument, ValueTask<TResult>> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with a result for each argument: all of them, or none.</summary>
    /// <typeparam name="TArgument">What the calls are made of.</typeparam>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="arguments">At most 1,000, whose calls have at most 16 MB together; more are an <see cref="ArgumentException"/>.</param>
    /// <param name="call">Makes the call of one of them.</param>
    /// <param name="options">How all of them are submitted, without an idempotency key; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the jobs.</param>
    ValueTask<IReadOnlyList<Job<TResult>>> EnqueueManyAsync<TArgument, TResult>(IEnumerable<TArgument> arguments, Func<T, TArgument, Task<TResult>> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with no result for each argument: all of them, or none.</summary>
    /// <typeparam name="TArgument">What the calls are made of.</typeparam>
    /// <param name="arguments">At most 1,000, whose calls have at most 16 MB together; more are an <see cref="ArgumentException"/>.</param>
    /// <param name="call">Makes the call of one of them.</param>
    /// <param name="options">How all of them are submitted, without an idempotency key; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the jobs.</param>
    ValueTask<IReadOnlyList<Job>> EnqueueManyAsync<TArgument>(IEnumerable<TArgument> arguments, Func<T, TArgument, ValueTask> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with no result for each argument: all of them, or none.</summary>
    /// <typeparam name="TArgument">What the calls are made of.</typeparam>
    /// <param name="arguments">At most 1,000, whose calls have at most 16 MB together; more are an <see cref="ArgumentException"/>.</param>
    /// <param name="call">Makes the call of one of them.</param>
    /// <param name="options">How all of them are submitted, without an idempotency key; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the jobs.</param>
    ValueTask<IReadOnlyList<Job>> EnqueueManyAsync<TArgument>(IEnumerable<TArgument> arguments, Func<T, TArgument, Task> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Submits a call with a stream for each argument: all of them, or none.</summary>
    /// <typeparam name="TArgument">What the calls are made of.</typeparam>
    /// <typeparam name="TItem">The type of the item.</typeparam>
    /// <param name="arguments">At most 1,000, whose calls have at most 16 MB together; more are an <see cref="ArgumentException"/>.</param>
    /// <param name="call">Makes the call of one of them.</param>
    /// <param name="options">How all of them are submitted, without an idempotency key; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the submission, not the jobs.</param>
    ValueTask<IReadOnlyList<JobStream<TItem>>> EnqueueManyAsync<TArgument, TItem>(IEnumerable<TArgument> arguments, Func<T, TArgument, IAsyncEnumerable<TItem>> call, JobOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Gives a job other arguments, <c>reports.EditAsync(id, r =&gt; r.Build("acme", 2027))</c>: see <c>IJobs.EditAsync</c>. The call must be one of the job's operation.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="id">The job.</param>
    /// <param name="call">Makes the call.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <returns>The job afterwards.</returns>
    /// <exception cref="JobException">There is no such job, it is of another operation, or it runs or has succeeded.</exception>
    ValueTask<JobInfo> EditAsync<TResult>(Guid id, Func<T, ValueTask<TResult>> call, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="EditAsync{TResult}(Guid, Func{T, ValueTask{TResult}}, CancellationToken)"/>
    ValueTask<JobInfo> EditAsync(Guid id, Func<T, ValueTask> call, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="EditAsync{TResult}(Guid, Func{T, ValueTask{TResult}}, CancellationToken)"/>
    ValueTask<JobInfo> EditAsync(Guid id, Func<T, Task> call, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="EditAsync{TResult}(Guid, Func{T, ValueTask{TResult}}, CancellationToken)"/>
    /// <typeparam name="TItem">The type of the item.</typeparam>
    ValueTask<JobInfo> EditAsync<TItem>(Guid id, Func<T, IAsyncEnumerable<TItem>> call, CancellationToken cancellationToken = default);

    /// <summary>
    /// Submits jobs in a transaction of the application: they exist if and only if it commits, and start after that. <c>await reports.In(transaction).EnqueueAsync(r =&gt; r.Build(2026))</c>. With Entity Framework Core the
    /// transaction is <c>db.Database.CurrentTransaction!.GetDbTransaction()</c>. The handles throw <see cref="JobNotCommittedException"/> until it has committed. A statement that fails makes the transaction unusable,
    /// as any statement of its own would.
    /// </summary>
    /// <param name="transaction">Open, and of the database in which the store of jobs is. It is used by one flow at a time, as its connection is.</param>
    /// <returns>Submits in the transaction; for as long as it is open.</returns>
    /// <exception cref="NotSupportedException">The store of jobs is no database server, or jobs are submitted over HTTP.</exception>
    IJobs<T> In(DbTransaction transaction);
}
