using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Weir.Jobs.Payloads;
using Weir.Jobs.Running;
using Weir.Runtime;

namespace Weir.Jobs.Recording;

/// <summary>Submits calls of one contract. Any thread.</summary>
/// <typeparam name="T">The contract.</typeparam>
[SuppressMessage("Reliability", "CA2012", Justification = "What a recorded call returns never completes.")]
internal sealed class RecordedJobs<T> : IJobs<T>
    where T : class
{
    private readonly JobRecorder _recorder;
    private readonly StoredJobs _source;
    private readonly RecordingInvoker _invoker;
    private readonly T _proxy;
    private readonly DbTransaction? _transaction;

    /// <summary>Makes the proxy whose calls are recorded.</summary>
    /// <exception cref="InvalidOperationException">There is no such contract.</exception>
    public RecordedJobs(JobRecorder recorder, StoredJobs source, WeirCatalogs catalogs)
    {
        _recorder = recorder;
        _source = source;
        var proxy = catalogs.Catalogs.SelectMany(static catalog => catalog.Proxies).FirstOrDefault(static proxy => proxy.Contract == typeof(T))
            ?? throw new InvalidOperationException(
                $"IJobs<{typeof(T)}> is asked for, and {typeof(T)} is no contract that this application serves: take the interface marked [Service], or the generated I{{Class}}Client of a class without one.");

        // Never the proxy of the container: a test double may stand there.
        _invoker = new RecordingInvoker();
        _proxy = (T)proxy.Create(_invoker);
    }

    private RecordedJobs(RecordedJobs<T> other, DbTransaction transaction) =>
        (_recorder, _source, _invoker, _proxy, _transaction) = (other._recorder, other._source, other._invoker, other._proxy, transaction);

    public IJobs<T> In(DbTransaction transaction)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        return new RecordedJobs<T>(this, transaction);
    }

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
        SubmitManyAsync(arguments, call, static (proxy, call, argument) => _ = call(proxy, argument), options, static (source, id, existing) => new Job<TResult>(source, id, existing), cancellationToken);

    public ValueTask<IReadOnlyList<Job<TResult>>> EnqueueManyAsync<TArgument, TResult>(IEnumerable<TArgument> arguments, Func<T, TArgument, Task<TResult>> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitManyAsync(arguments, call, static (proxy, call, argument) => _ = call(proxy, argument), options, static (source, id, existing) => new Job<TResult>(source, id, existing), cancellationToken);

    public ValueTask<IReadOnlyList<Job>> EnqueueManyAsync<TArgument>(IEnumerable<TArgument> arguments, Func<T, TArgument, ValueTask> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitManyAsync(arguments, call, static (proxy, call, argument) => _ = call(proxy, argument), options, static (source, id, existing) => new Job(source, id, existing), cancellationToken);

    public ValueTask<IReadOnlyList<Job>> EnqueueManyAsync<TArgument>(IEnumerable<TArgument> arguments, Func<T, TArgument, Task> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitManyAsync(arguments, call, static (proxy, call, argument) => _ = call(proxy, argument), options, static (source, id, existing) => new Job(source, id, existing), cancellationToken);

    public ValueTask<IReadOnlyList<JobStream<TItem>>> EnqueueManyAsync<TArgument, TItem>(IEnumerable<TArgument> arguments, Func<T, TArgument, IAsyncEnumerable<TItem>> call, JobOptions? options, CancellationToken cancellationToken) =>
        SubmitManyAsync(arguments, call, static (proxy, call, argument) => _ = call(proxy, argument), options, static (source, id, existing) => new JobStream<TItem>(source, id, existing), cancellationToken);

    public ValueTask<JobInfo> EditAsync<TResult>(Guid id, Func<T, ValueTask<TResult>> call, CancellationToken cancellationToken) =>
        _source.EditAsync(id, Record(call, static (proxy, call) => _ = call(proxy)), cancellationToken);

    public ValueTask<JobInfo> EditAsync(Guid id, Func<T, ValueTask> call, CancellationToken cancellationToken) =>
        _source.EditAsync(id, Record(call, static (proxy, call) => _ = call(proxy)), cancellationToken);

    public ValueTask<JobInfo> EditAsync(Guid id, Func<T, Task> call, CancellationToken cancellationToken) =>
        _source.EditAsync(id, Record(call, static (proxy, call) => _ = call(proxy)), cancellationToken);

    public ValueTask<JobInfo> EditAsync<TItem>(Guid id, Func<T, IAsyncEnumerable<TItem>> call, CancellationToken cancellationToken) =>
        _source.EditAsync(id, Record(call, static (proxy, call) => _ = call(proxy)), cancellationToken);

    /// <summary>The call that a lambda makes.</summary>
    /// <exception cref="InvalidOperationException">It makes none, several, or passes a token.</exception>
    public Call Record(Action<T> call) => Record(call, static (proxy, call) => call(proxy));

    private Call Record<TCall>(TCall call, Action<T, TCall> make)
        where TCall : Delegate
    {
        ArgumentNullException.ThrowIfNull(call);
        return _invoker.Record((_proxy, call, make), static one => one.make(one._proxy, one.call));
    }

    private async ValueTask<TJob> SubmitAsync<TJob>(Call call, JobOptions? options, Func<JobSource, Guid, bool, TJob> handle, CancellationToken cancellationToken)
    {
        var request = _recorder.Request(call, options);
        await _recorder.SubmitAsync([request], _transaction, cancellationToken);
        return Handle(request, handle);
    }

    private async ValueTask<IReadOnlyList<TJob>> SubmitManyAsync<TArgument, TCall, TJob>(
        IEnumerable<TArgument> arguments, TCall call, Action<T, TCall, TArgument> make, JobOptions? options, Func<JobSource, Guid, bool, TJob> handle, CancellationToken cancellationToken)
        where TCall : Delegate
    {
        ArgumentNullException.ThrowIfNull(arguments);
        ArgumentNullException.ThrowIfNull(call);
        if (options?.IdempotencyKey is not null)
        {
            throw new ArgumentException("JobOptions.IdempotencyKey is one key, and EnqueueManyAsync submits several jobs: submit each with its own key.", nameof(options));
        }

        var requests = new List<NewJobRequest>();
        var length = 0L;
        foreach (var argument in arguments)
        {
            var recorded = _invoker.Record((_proxy, call, make, argument), static one => one.make(one._proxy, one.call, one.argument));
            requests.Add(_recorder.Request(recorded, options));
            length += requests[^1].Job.Arguments.Length;
            if (requests.Count > JobScheduler.MostAtOnce || length > JobArguments.Most)
            {
                throw new ArgumentException(
                    $"EnqueueManyAsync stores its jobs at once, up to {JobScheduler.MostAtOnce} of them with {JobArguments.Most} bytes of arguments, and these are more: submit them in parts, foreach (var part in arguments.Chunk(100)) …", nameof(arguments));
            }
        }

        if (requests.Count == 0)
        {
            return [];
        }

        await _recorder.SubmitAsync([.. requests], _transaction, cancellationToken);
        return [.. requests.Select(request => Handle(request, handle))];
    }

    private TJob Handle<TJob>(NewJobRequest request, Func<JobSource, Guid, bool, TJob> handle) =>
        handle(_transaction is null ? _source : new UncommittedJobs(_source), request.Job.Existing ?? request.Job.Id, request.Job.Existing is not null);
}
