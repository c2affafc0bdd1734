using System.Net;
using Weir.Client.Requests;
using Weir.Runtime;

namespace Weir.Client.Jobs;

/// <summary>One submission: a request that may be repeated, because all of its attempts have one key. Used once.</summary>
/// <param name="client">Sends it.</param>
/// <param name="call">What is submitted.</param>
/// <param name="options">How; <c>null</c> for the defaults.</param>
internal sealed class JobSubmission(ServiceClient client, RecordedCall call, JobOptions? options)
{
    private const string KeyHeader = "Idempotency-Key";
    private const int MostKey = 200;
    private const int MostAttempts = 4;

    private readonly ClientRequest _request = call.Request;
    private readonly string _operation = call.Request.Operation.Name;

    /// <summary>Submits it.</summary>
    /// <returns>The job, where it is asked for, and whether an earlier submission had made it.</returns>
    internal async ValueTask<(Guid Id, Uri Address, bool IsExisting)> SendAsync(CancellationToken cancellationToken)
    {
        var own = KeyOf(options);
        var key = own ?? Guid.NewGuid().ToString("N");
        _request.IsSubmission = true;
        _request.Header("Prefer", "respond-async");
        _request.Header(KeyHeader, key);
        using var limit = new CallLimit(_operation, client.Options.Deadline, cancellationToken);
        for (var attempt = 1; ; attempt++)
        {
            var wait = RetryPause.Of(attempt, TimeSpan.FromSeconds(1));
            try
            {
                var (job, address, isReplayed) = await SendOnceAsync(limit).ConfigureAwait(false);

                // A random key is of this submission: what it finds was made by an earlier attempt.
                return (job.Info.Id, address, isReplayed && own is not null);
            }
            catch (Exception error) when (IsRepeated(error) && limit.Token.IsCancellationRequested)
            {
                limit.ThrowIfReached(error);
                throw;
            }
            catch (Exception error) when (attempt < MostAttempts && IsRepeated(error))
            {
                wait = RetryPause.Asked((error as WeirException)?.Problem?.RetryAfter) ?? wait;
            }
            catch (WeirException error) when (error.Problem is { Code: WeirCodes.JobOutcomeUnknown } problem)
            {
                throw RemoteProblems.Attach(new JobOutcomeUnknownException(NamedBy(problem), error), problem);
            }
            catch (WeirException error) when (error.Problem is { Code: WeirCodes.JobKeyReused } problem)
            {
                throw RemoteProblems.Attach(new JobKeyReusedException(NamedBy(problem), _request.Operation.JobKind ?? _operation, key), problem);
            }

            await WaitAsync(wait, limit).ConfigureAwait(false);
        }
    }

    private async ValueTask<(RemoteJob Job, Uri Address, bool IsReplayed)> SendOnceAsync(CallLimit limit)
    {
        using var response = await client.SendAsync(_request, limit).ConfigureAwait(false);
        if (response.StatusCode != HttpStatusCode.Accepted || !Contains(response, "Preference-Applied", "respond-async"))
        {
            throw new UnexpectedResponseException(
                $"{_operation} answered with status {(int)response.StatusCode} and no job: the server ignored that it was asked for one, and the call HAS RUN, or has begun to. Does the server have AddWeirJobs and MapWeirJobs, and may the operation be a job over HTTP ([Job(Respond = …)])? See {WeirCodes.UnexpectedResponse}.");
        }

        using var body = await client.ReadAsync(response, _request, limit).ConfigureAwait(false);
        var job = RemoteJob.Read(_operation, body.Span);
        var path = response.Headers.Location is { } location ? PathOf(location) : job.Self;
        return (job, client.AddressOf(path ?? throw new UnexpectedResponseException($"{_operation} answered with job {job.Info.Id} and does not say where it is: the header Location is missing.")), Contains(response, "Idempotent-Replayed", "true"));
    }

    // Only the path: the job is where the call was sent to, whatever name the server has for its host.
    private static string PathOf(Uri location)
    {
        var text = location.IsAbsoluteUri ? location.AbsolutePath : location.OriginalString;
        var end = text.IndexOfAny(['?', '#']);
        return end < 0 ? text : text.Substring(0, end);
    }

    private static bool Contains(HttpResponseMessage response, string header, string value) =>
        response.Headers.TryGetValues(header, out var values) && values.Any(one => one.Contains(value, StringComparison.OrdinalIgnoreCase));

    // The answer was lost, or the server does not know it; a server with jobs finds by the key what it has done. A problem of Weir with another code says that nothing was accepted.
    private static bool IsRepeated(Exception error) => error switch
    {
        HttpRequestException or IOException or TimeoutException or OperationCanceledException => true,
        WeirException { Problem: { Code: WeirCodes.JobOutcomeUnknown } or { Code: "", Status: 502 or 503 or 504 } } => true,
        _ => false,
    };

    // The answer points to the job, and its text names it.
    private Guid NamedBy(RemoteProblem problem) => JobId.LastIn(_request.RefusedAt?.OriginalString) ?? JobId.LastIn(problem.Detail) ?? Guid.Empty;

    private static async Task WaitAsync(TimeSpan time, CallLimit limit)
    {
        try
        {
            await Pause.ForAsync(time, limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException error)
        {
            limit.ThrowIfReached(error);
            throw;
        }
    }

    private static string? KeyOf(JobOptions? options)
    {
        if (options is null)
        {
            return null;
        }

        (string Name, object? Value)[] others =
        [
            (nameof(JobOptions.UniqueUntil), options.UniqueUntil == JobUniqueness.Retention ? null : options.UniqueUntil),
            (nameof(JobOptions.Due), options.Due),
            (nameof(JobOptions.After), options.After),
            (nameof(JobOptions.ExpiresAfter), options.ExpiresAfter),
            (nameof(JobOptions.Key), options.Key),
            (nameof(JobOptions.Priority), options.Priority == JobPriority.Normal ? null : options.Priority),
            (nameof(JobOptions.Owner), options.Owner),
        ];
        if (Array.Find(others, static one => one.Value is not null) is { Name: { } name, Value: var value })
        {
            throw new ArgumentException($"JobOptions.{name} is {value}, and over HTTP only IdempotencyKey is sent: leave it out, or submit the job in the server's own code.", nameof(options));
        }

        return options.IdempotencyKey is not { } key || (key.Length is > 0 and <= MostKey && key.All(static one => one is > ' ' and <= '~' and not '"' and not '\\'))
            ? options.IdempotencyKey
            : throw new ArgumentException($"JobOptions.IdempotencyKey is '{key}'; over HTTP it has 1 to {MostKey} visible characters of ASCII, without quotation marks and backslashes.", nameof(options));
    }
}
