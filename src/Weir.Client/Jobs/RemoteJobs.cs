using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Weir.Runtime;

namespace Weir.Client.Jobs;

/// <summary>Submits calls of one contract to a server. Any thread.</summary>
/// <typeparam name="T">The contract.</typeparam>
/// <param name="proxy">The contract's client over the recorder.</param>
/// <param name="recorder">Records the calls of that client.</param>
/// <param name="calls">Sends requests that are answered at once.</param>
/// <param name="waits">Sends requests that last as long as a job: without the deadline of calls.</param>
/// <param name="path">Where the server has its jobs, for handles that are made of an id.</param>
[SuppressMessage("Reliability", "CA2012", Justification = "What a recorded call returns never completes.")]
internal sealed class RemoteJobs<T>(T proxy, CallRecorder recorder, ServiceClient calls, ServiceClient waits, string path) : IRemoteJobs<T>
    where T : class
{
    public ValueTask<Job<TResult>> EnqueueAsync<TResult>(Func<T, ValueTask<TResult>> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitAsync(Record(call, static (proxy, call) => _ = call(proxy)), options, static (source, id, existing) => new Job<TResult>(source, id, existing), cancellationToken);

    public ValueTask<Job<TResult>> EnqueueAsync<TResult>(Func<T, Task<TResult>> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitAsync(Record(call, static (proxy, call) => _ = call(proxy)), options, static (source, id, existing) => new Job<TResult>(source, id, existing), cancellationToken);

    public ValueTask<Job> EnqueueAsync(Func<T, ValueTask> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitAsync(Record(call, static (proxy, call) => _ = call(proxy)), options, static (source, id, existing) => new Job(source, id, existing), cancellationToken);

    public ValueTask<Job> EnqueueAsync(Func<T, Task> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitAsync(Record(call, static (proxy, call) => _ = call(proxy)), options, static (source, id, existing) => new Job(source, id, existing), cancellationToken);

    public ValueTask<JobStream<TItem>> EnqueueAsync<TItem>(Func<T, IAsyncEnumerable<TItem>> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitAsync(Record(call, static (proxy, call) => _ = call(proxy)), options, static (source, id, existing) => new JobStream<TItem>(source, id, existing), cancellationToken);

    public ValueTask<IReadOnlyList<Job<TResult>>> EnqueueManyAsync<TArgument, TResult>(IEnumerable<TArgument> arguments, Func<T, TArgument, ValueTask<TResult>> call, JobOptions? options, CancellationToken cancellationToken) =>
        throw NotAtOnce();

    public ValueTask<IReadOnlyList<Job<TResult>>> EnqueueManyAsync<TArgument, TResult>(IEnumerable<TArgument> arguments, Func<T, TArgument, Task<TResult>> call, JobOptions? options, CancellationToken cancellationToken) =>
        throw NotAtOnce();

    public ValueTask<IReadOnlyList<Job>> EnqueueManyAsync<TArgument>(IEnumerable<TArgument> arguments, Func<T, TArgument, ValueTask> call, JobOptions? options, CancellationToken cancellationToken) => throw NotAtOnce();

    public ValueTask<IReadOnlyList<Job>> EnqueueManyAsync<TArgument>(IEnumerable<TArgument> arguments, Func<T, TArgument, Task> call, JobOptions? options, CancellationToken cancellationToken) => throw NotAtOnce();

    public ValueTask<IReadOnlyList<JobStream<TItem>>> EnqueueManyAsync<TArgument, TItem>(IEnumerable<TArgument> arguments, Func<T, TArgument, IAsyncEnumerable<TItem>> call, JobOptions? options, CancellationToken cancellationToken) =>
        throw NotAtOnce();

    public ValueTask<JobInfo> EditAsync<TResult>(Guid id, Func<T, ValueTask<TResult>> call, CancellationToken cancellationToken) => throw NotEdited(id);

    public ValueTask<JobInfo> EditAsync(Guid id, Func<T, ValueTask> call, CancellationToken cancellationToken) => throw NotEdited(id);

    public ValueTask<JobInfo> EditAsync(Guid id, Func<T, Task> call, CancellationToken cancellationToken) => throw NotEdited(id);

    public ValueTask<JobInfo> EditAsync<TItem>(Guid id, Func<T, IAsyncEnumerable<TItem>> call, CancellationToken cancellationToken) => throw NotEdited(id);

    public IJobs<T> In(DbTransaction transaction) =>
        throw new NotSupportedException("Jobs are submitted over HTTP here, and no transaction of this program reaches the server: submit after the commit, with an IdempotencyKey.");

    public Job<TResult> Get<TResult>(Guid id, Func<T, ValueTask<TResult>> call) => new(Source(id, Record(call, static (proxy, call) => _ = call(proxy))), id);

    public Job<TResult> Get<TResult>(Guid id, Func<T, Task<TResult>> call) => new(Source(id, Record(call, static (proxy, call) => _ = call(proxy))), id);

    public Job Get(Guid id, Func<T, ValueTask> call) => new(Source(id, Record(call, static (proxy, call) => _ = call(proxy))), id);

    public Job Get(Guid id, Func<T, Task> call) => new(Source(id, Record(call, static (proxy, call) => _ = call(proxy))), id);

    public JobStream<TItem> Get<TItem>(Guid id, Func<T, IAsyncEnumerable<TItem>> call) => new(Source(id, Record(call, static (proxy, call) => _ = call(proxy))), id);

    private RecordedCall Record<TCall>(TCall call, Action<T, TCall> make)
        where TCall : Delegate
    {
        ArgumentNullException.ThrowIfNull(call);
        var recorded = recorder.Record((proxy, call, make), static one => one.make(one.proxy, one.call));
        var operation = recorded.Request.Operation;
        return operation.Method == HttpMethod.Get ? throw new InvalidOperationException($"The client calls {operation.Name} by GET, which submits no job: a GET must be safe. Give the operation [Post] only.")
            : operation.JobKind is null ? throw new InvalidOperationException($"{operation.Name} is no job over HTTP: mark it with [Job] on the interface, without Respond = JobRespond.Never, or call it directly.")
            : recorded;
    }

    private async ValueTask<TJob> SubmitAsync<TJob>(RecordedCall call, JobOptions? options, Func<JobSource, Guid, bool, TJob> handle, CancellationToken cancellationToken)
    {
        var submitted = await new JobSubmission(calls, call, options).SendAsync(cancellationToken).ConfigureAwait(false);
        return handle(new RemoteJobSource(calls, waits, call, submitted.Address), submitted.Id, submitted.IsExisting);
    }

    private RemoteJobSource Source(Guid id, RecordedCall call) => new(calls, waits, call, calls.AddressOf($"{path}/{id:D}"));

    private static NotSupportedException NotAtOnce() => new(
        $"EnqueueManyAsync stores all of its jobs or none, and over HTTP each of them is a request of its own. Submit each with EnqueueAsync and an IdempotencyKey of its own, so that the submissions can be repeated; or let one operation of {typeof(T).Name} enqueue them on the server.");

    private static NotSupportedException NotEdited(Guid id) => new(
        $"Job {id} is edited on its server: in its code with IJobs.EditAsync, or over HTTP with PUT of {id}/arguments, which MapWeirJobsAdmin serves to operators.");
}
