using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Weir.Client.Requests;
using Weir.Client.Responses;
using Weir.Runtime;

namespace Weir.Client.Jobs;

/// <summary>One job on a server: what its handle asks. Any thread.</summary>
/// <param name="calls">Sends requests that are answered at once.</param>
/// <param name="waits">Sends requests that last as long as the job.</param>
/// <param name="call">The call of its operation, which is not sent: it says how a result is read.</param>
/// <param name="address">The job.</param>
internal sealed class RemoteJobSource(ServiceClient calls, ServiceClient waits, RecordedCall call, Uri address) : JobSource
{
    private const string Json = "application/json";
    private const string Items = "application/x-ndjson; weir=1";

    private readonly ClientOperation _operation = call.Request.Operation;

    public override async ValueTask<JobInfo?> GetAsync(Guid id, CancellationToken cancellationToken) => (await AskAsync(HttpMethod.Get, "", cancellationToken).ConfigureAwait(false))?.Info;

    public override async ValueTask<JobInfo?> CancelAsync(Guid id, CancellationToken cancellationToken) => (await AskAsync(HttpMethod.Post, "/cancel", cancellationToken).ConfigureAwait(false))?.Info;

    public override async Task<JobInfo> WaitAsync(Guid id, CancellationToken cancellationToken) => (await EndAsync(id, cancellationToken).ConfigureAwait(false)).Info;

    public override async Task ResultAsync(Guid id, CancellationToken cancellationToken)
    {
        var job = await EndAsync(id, cancellationToken).ConfigureAwait(false);
        await RequireSuccessAsync(job, cancellationToken).ConfigureAwait(false);
    }

    public override async Task<T> ResultAsync<T>(Guid id, CancellationToken cancellationToken)
    {
        var job = await EndAsync(id, cancellationToken).ConfigureAwait(false);
        await RequireSuccessAsync(job, cancellationToken).ConfigureAwait(false);
        var request = Request(HttpMethod.Get, "/result", _operation.Media);
        return await PersistAsync(id, async (_, limit) =>
        {
            using var response = await waits.SendAsync(request, limit).ConfigureAwait(false);
            using var body = await waits.ReadAsync(response, request, limit).ConfigureAwait(false);
            return (Read<T>(response, body.Span), TimeSpan.Zero);
        }, static _ => true, cancellationToken).ConfigureAwait(false);
    }

    public override IAsyncEnumerable<T> ItemsAsync<T>(Guid id, long from, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(from);
        return call.Codec is ClientValue<T> codec ? ReadItemsAsync(id, from, codec, cancellationToken) : throw new InvalidOperationException($"{_operation.Name} is no stream of {typeof(T)}.");
    }

    private async IAsyncEnumerable<T> ReadItemsAsync<T>(Guid id, long from, ClientValue<T> codec, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var (name, first) = (id.ToString("D"), from);
        var request = Request(HttpMethod.Get, "/items", Items);
        var items = Open();
        try
        {
            var isOpen = false;
            for (var index = first; ; index++)
            {
                bool isThere;
                try
                {
                    isThere = await items.MoveNextAsync().ConfigureAwait(false);
                }
                catch (WeirException error) when (!isOpen && from > 0 && error.Problem is { Code: WeirCodes.JobContentGone })
                {
                    // The job has less items yet, or was begun again by hand, and its items have another name since then.
                    await items.DisposeAsync().ConfigureAwait(false);
                    (name, first) = await BeginAsync(id, from, cancellationToken).ConfigureAwait(false);
                    (items, index, isOpen) = (Open(), first - 1, true);
                    continue;
                }
                catch (WeirException error) when (error.Problem is { Code: WeirCodes.JobNotFound or WeirCodes.JobContentGone or WeirCodes.JobWithoutResult } || IsElsewhere(error))
                {
                    throw await ExplainAsync(id, error, cancellationToken).ConfigureAwait(false);
                }

                isOpen = true;
                if (!isThere)
                {
                    yield break;
                }

                if (index >= from)
                {
                    yield return items.Current;
                }
            }
        }
        finally
        {
            await items.DisposeAsync().ConfigureAwait(false);
        }

        IAsyncEnumerator<T> Open() => new ReceivedItems<T>(waits, request, codec, Resumption.Buffer, first, cancellationToken, name).GetAsyncEnumerator(CancellationToken.None);
    }

    // Under which name the job has its items now, and the first one to ask for: not beyond those that there are.
    private async ValueTask<(string Name, long First)> BeginAsync(Guid id, long from, CancellationToken cancellationToken)
    {
        var request = Request(HttpMethod.Get, "/items", Items);
        using var limit = new CallLimit(_operation.Name, null, cancellationToken);
        string name;
        try
        {
            // Only its headers are read.
            using var response = await waits.SendAsync(request, limit).ConfigureAwait(false);
            name = response.Headers.TryGetValues("Weir-Stream", out var names) ? names.First() : id.ToString("D");
        }
        catch (WeirException error) when (error.Problem is { Code: WeirCodes.JobNotFound or WeirCodes.JobContentGone })
        {
            throw Missing(id, error);
        }

        var job = await AskAsync(HttpMethod.Get, "", cancellationToken).ConfigureAwait(false) ?? throw Missing(id, null);
        return (name, Math.Min(from, job.Info.Items));
    }

    // What is known of the job; null where there is none.
    private async ValueTask<RemoteJob?> AskAsync(HttpMethod method, string part, CancellationToken cancellationToken)
    {
        var request = Request(method, part, Json);
        using var limit = new CallLimit(_operation.Name, calls.Options.Deadline, cancellationToken);
        try
        {
            return (await AskAsync(calls, request, limit).ConfigureAwait(false)).Job;
        }
        catch (WeirException error) when (error.Problem is { Code: WeirCodes.JobNotFound or WeirCodes.JobContentGone })
        {
            return null;
        }
        catch (WeirException error) when (IsElsewhere(error))
        {
            throw NoJobs(error);
        }
    }

    private async ValueTask<(RemoteJob Job, TimeSpan? RetryAfter)> AskAsync(ServiceClient client, ClientRequest request, CallLimit limit)
    {
        using var response = await client.SendAsync(request, limit).ConfigureAwait(false);
        using var body = await client.ReadAsync(response, request, limit).ConfigureAwait(false);
        return (RemoteJob.Read(_operation.Name, body.Span), response.Headers.RetryAfter?.Delta);
    }

    private Task<RemoteJob> EndAsync(Guid id, CancellationToken cancellationToken) => PersistAsync(id, async (pace, limit) =>
    {
        var request = Request(HttpMethod.Get, "", Json);
        request.Header("Prefer", "wait=" + pace.Seconds.ToString(CultureInfo.InvariantCulture));
        var sent = Stopwatch.GetTimestamp();
        var (job, asked) = await AskAsync(waits, request, limit).ConfigureAwait(false);
        return (job, job.Info.HasEnded ? TimeSpan.Zero : pace.AfterAnswer(Stopwatch.GetElapsedTime(sent), asked));
    }, static job => job.Info.HasEnded, cancellationToken);

    // Asks until there is an answer, however often the connection is cut or the server is replaced.
    private async Task<T> PersistAsync<T>(Guid id, Func<PollPace, CallLimit, Task<(T Answer, TimeSpan Pause)>> ask, Func<T, bool> isLast, CancellationToken cancellationToken)
    {
        using var limit = new CallLimit(_operation.Name, null, cancellationToken);
        var pace = new PollPace(waits.RequestTimeout, waits.Options.MaxResumeAttempts);
        while (true)
        {
            TimeSpan? pause = null;
            try
            {
                var (answer, after) = await ask(pace, limit).ConfigureAwait(false);
                if (isLast(answer))
                {
                    return answer;
                }

                pause = after;
            }
            catch (WeirException error) when (error.Problem is { Code: WeirCodes.JobNotFound or WeirCodes.JobContentGone })
            {
                throw Missing(id, error);
            }
            catch (WeirException error) when (IsElsewhere(error))
            {
                throw NoJobs(error);
            }
            catch (Exception error) when (limit.Token.IsCancellationRequested)
            {
                limit.ThrowIfReached(error);
                throw;
            }
            catch (Exception error) when ((pause = pace.AfterFailure(error)) is not null)
            {
                // It is asked again.
            }

            try
            {
                await Pause.ForAsync(pause!.Value, limit.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException error)
            {
                limit.ThrowIfReached(error);
                throw;
            }
        }
    }

    // Throws what a caller of the operation would catch.
    private async ValueTask RequireSuccessAsync(RemoteJob job, CancellationToken cancellationToken)
    {
        if (job.Info.State == JobState.Succeeded)
        {
            return;
        }

        if (job.Problem is { } problem)
        {
            throw Failure(job.Info, problem);
        }

        // The answer of its result says what the job does not.
        using var limit = new CallLimit(_operation.Name, null, cancellationToken);
        using var response = await waits.SendAsync(Request(HttpMethod.Get, "/result", _operation.Media), limit).ConfigureAwait(false);
        throw new JobException(job.Info.Id, job.Info.State, job.Info.Reason, $"Job {job.Info.Id} of {job.Info.Kind} has no result, and the server does not say why. See {WeirCodes.JobWithoutResult}.");
    }

    private Exception Failure(JobInfo job, RemoteProblem problem) => problem.Code == WeirCodes.JobWithoutResult
        ? RemoteProblems.Attach(new JobException(job.Id, job.State, job.Reason, problem.Detail), problem)
        : _operation.ToException(problem);

    // What ended the items of a job.
    private async ValueTask<Exception> ExplainAsync(Guid id, WeirException error, CancellationToken cancellationToken)
    {
        if (error.Problem is not { Code: WeirCodes.JobContentGone or WeirCodes.JobWithoutResult } problem)
        {
            return error.Problem?.Code == WeirCodes.JobNotFound ? Missing(id, error) : NoJobs(error);
        }

        var job = (await AskAsync(HttpMethod.Get, "", cancellationToken).ConfigureAwait(false))?.Info;
        return RemoteProblems.Attach(new JobException(id, job?.State, job?.Reason ?? JobReason.None, problem.Detail, error), problem);
    }

    private T Read<T>(HttpResponseMessage response, ReadOnlySpan<byte> body)
    {
        if (call.Codec is Base64Value)
        {
            object bytes = ResponseValue.ReadBytes(_operation.Name, response, body);
            return bytes is T value ? value : (T)(object)new ReadOnlyMemory<byte>((byte[])bytes);
        }

        return ResponseValue.Read(_operation.Name, response, body, (ClientValue<T>)call.Codec!);
    }

    private ClientRequest Request(HttpMethod method, string part, string media)
    {
        var request = new ClientRequest(_operation.OfJob(method, media));
        request.Path(address.AbsoluteUri + part);
        return request;
    }

    private static JobException Missing(Guid id, WeirException? error)
    {
        var missing = new JobException(id, null, JobReason.None, $"There is no job {id} that this caller may see: it never existed, belongs to another caller, or was deleted. See {WeirCodes.JobWithoutResult}.", error);
        return error?.Problem is { } problem ? RemoteProblems.Attach(missing, problem) : missing;
    }

    // Another program answers so where it has nothing at the path. An operation's own 404 has a code of Weir.
    private static bool IsElsewhere(WeirException error) => error.Problem is { Status: 404, Code: "" or WeirCodes.OperationNotFound };

    private UnexpectedResponseException NoJobs(WeirException error) => new(
        $"The server has no jobs at {address}: does it have MapWeirJobs, and is the path that of WeirClientOptions.JobsPath, which is relative to BaseAddress unless it begins with a slash? See {WeirCodes.UnexpectedResponse}.", error);
}
