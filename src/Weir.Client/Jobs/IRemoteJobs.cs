namespace Weir;

/// <summary>
/// Submits calls of one contract as jobs to a server, over HTTP: see <see cref="IJobs{T}"/>. Made by <c>WeirClient.CreateJobs</c>, or injectable where <c>AddWeirClient&lt;T&gt;(…).AddJobs()</c> was called, as
/// this interface and as <see cref="IJobs{T}"/>. May be used concurrently.
/// </summary>
/// <remarks>
/// <para>
/// The server must run jobs (<c>AddWeirJobs</c>) and serve them (<c>MapWeirJobs</c>). Of <see cref="JobOptions"/>, only <see cref="JobOptions.IdempotencyKey"/> is sent, 1 to 200 visible characters of ASCII without <c>"</c>
/// and <c>\</c>; another option that is set is an <see cref="ArgumentException"/>. Without a key each submission has a random one of its own, so that it can be repeated: where the connection fails, or the server answers that the
/// job may have been accepted (WEIR2041), it is sent up to three times more with the same key, after about 0.2, 0.4 and 0.8 seconds. What is thrown after that does not say whether there is a job: submit it again with the same key.
/// </para>
/// <para>
/// <c>EnqueueManyAsync</c> and <c>EditAsync</c> throw <see cref="NotSupportedException"/>. A wait (<see cref="Job.WaitAsync"/>, <c>ResultAsync</c>, <c>ItemsAsync</c>) survives servers that restart and connections that are
/// cut; <see cref="Job.WaitAsync"/> and <c>ResultAsync</c> end only with the job or with their token.
/// </para>
/// </remarks>
/// <typeparam name="T">A contract.</typeparam>
public interface IRemoteJobs<T> : IJobs<T>
    where T : class
{
    /// <summary>
    /// A handle of a job that was submitted earlier, or elsewhere: <c>reports.Get(id, r =&gt; r.Build("", 0))</c>. The call says which operation the job is of, and so how its result is read; its arguments mean nothing. No
    /// request is sent.
    /// </summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="id">The job. It is looked for at the option <c>JobsPath</c> of the client.</param>
    /// <param name="call">Makes a call of the job's operation, with any arguments.</param>
    /// <exception cref="InvalidOperationException">The lambda does not make one call of an operation with <see cref="JobAttribute"/>.</exception>
    Job<TResult> Get<TResult>(Guid id, Func<T, ValueTask<TResult>> call);

    /// <inheritdoc cref="Get{TResult}(Guid, Func{T, ValueTask{TResult}})"/>
    Job<TResult> Get<TResult>(Guid id, Func<T, Task<TResult>> call);

    /// <inheritdoc cref="Get{TResult}(Guid, Func{T, ValueTask{TResult}})"/>
    Job Get(Guid id, Func<T, ValueTask> call);

    /// <inheritdoc cref="Get{TResult}(Guid, Func{T, ValueTask{TResult}})"/>
    Job Get(Guid id, Func<T, Task> call);

    /// <inheritdoc cref="Get{TResult}(Guid, Func{T, ValueTask{TResult}})"/>
    /// <typeparam name="TItem">The type of the item.</typeparam>
    JobStream<TItem> Get<TItem>(Guid id, Func<T, IAsyncEnumerable<TItem>> call);
}
