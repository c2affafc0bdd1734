using Weir.Jobs.Payloads;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;
using Weir.Jobs.Storage;
using Weir.Jobs.Testing;
using Weir.Runtime;

namespace Weir;

/// <summary>
/// The jobs of an application in a test: finds what was submitted, and runs it when the test says so. In the container where <c>AddWeirJobsTesting</c> was called; one per application; may be used concurrently.
/// </summary>
public sealed class JobsTesting
{
    private readonly JobEngine _engine;
    private readonly StoredJobs _jobs;
    private readonly JobRecorder _recorder;
    private readonly JobArguments _arguments;
    private readonly WeirCatalogs _catalogs;
    private readonly TestDriver _driver;

    internal JobsTesting(JobEngine engine, StoredJobs jobs, JobRecorder recorder, JobArguments arguments, WeirCatalogs catalogs)
    {
        (_engine, _jobs, _recorder, _arguments, _catalogs) = (engine, jobs, recorder, arguments, catalogs);
        _driver = (TestDriver)engine.Runner.Driver!;
    }

    /// <summary>All jobs that were submitted, in any state, the first submitted first.</summary>
    public IReadOnlyList<JobInfo> Enqueued() => Describe(_driver.Store.Submitted());

    /// <summary>The jobs of a kind that were submitted, in any state, the first submitted first.</summary>
    /// <param name="kind">Its name, <c>Service/Operation</c> unless <see cref="JobAttribute"/> names another one, without regard to case.</param>
    /// <exception cref="ArgumentException">The application has no such kind.</exception>
    public IReadOnlyList<JobInfo> Enqueued(string kind)
    {
        var name = KindOf(kind).Name;
        return Describe(_driver.Store.Submitted().Where(one => one.Job.Kind == name));
    }

    /// <summary>
    /// The jobs that were submitted with this call, in any state, the first submitted first: <c>Assert.Single(testing.Enqueued&lt;IReports&gt;(r =&gt; r.Build("acme", 2026)))</c>. What is compared is the stored form: the
    /// arguments are equal where they are stored as the same JSON and the same bytes. How it was submitted, its key, priority and time, is in what is returned.
    /// </summary>
    /// <typeparam name="T">A contract, or a generated <c>I{Class}Client</c>.</typeparam>
    /// <param name="call">Makes exactly one call, which is recorded and not run.</param>
    /// <exception cref="InvalidOperationException">The lambda does not make one call of an operation with <see cref="JobAttribute"/>, or there is no such contract.</exception>
    /// <exception cref="BindingException">The arguments are not valid: no job can have them.</exception>
    public IReadOnlyList<JobInfo> Enqueued<T>(Action<T> call)
        where T : class
    {
        var recorded = new RecordedJobs<T>(_recorder, _jobs, _catalogs).Record(call);
        var kind = _engine.Kinds.Of(recorded.Operation).Name;
        var arguments = _arguments.Write(recorded);
        return Describe(_driver.Store.Submitted().Where(one => one.Job.Kind == kind && one.Arguments.Span.SequenceEqual(arguments)));
    }

    /// <summary>
    /// Runs the jobs that wait, one after the other, until none is left, those that they submit as well. First the time of the application's <see cref="TimeProvider"/> is followed: schedules occur, jobs become ready or
    /// expire. Kinds come in the order in which their jobs became ready; within a kind the order is that of an application that runs them. Kinds that are paused are left out.
    /// </summary>
    /// <param name="kind">Only of this kind, by its name, without regard to case; <c>null</c>, the default, for all.</param>
    /// <param name="withScheduled">
    /// Whether jobs that are due later, and those that wait for another attempt, run as well: when nothing else is left, the one that is due first. The clock stays. Schedules do not occur by it; default <c>false</c>.
    /// </param>
    /// <param name="limit">How many attempts are run at most, 1 or more; default 1,000. Where a job waits then, the method throws.</param>
    /// <param name="cancellationToken">Ends the wait. An attempt that runs is not stopped.</param>
    /// <returns>What was run.</returns>
    /// <exception cref="InvalidOperationException">More jobs wait than the limit allows, or the method is called in a job.</exception>
    /// <exception cref="ArgumentException">The application has no such kind.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The limit is below 1.</exception>
    /// <exception cref="CallRejectedException">The application has stopped.</exception>
    public Task<JobsDrainResult> DrainAsync(string? kind = null, bool withScheduled = false, int limit = 1_000, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        return _driver.DrainAsync(kind is null ? null : KindOf(kind), withScheduled, limit, cancellationToken);
    }

    private JobKind KindOf(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name, "kind");
        return _engine.Kinds.FindAnyCase(name);
    }

    private IReadOnlyList<JobInfo> Describe(IEnumerable<(JobRecord Job, ReadOnlyMemory<byte> Arguments)> jobs) => [.. jobs.Select(one => _jobs.Describe(one.Job))];
}
