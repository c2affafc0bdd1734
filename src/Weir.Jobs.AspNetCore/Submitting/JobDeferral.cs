using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.Responses;
using Weir.Jobs.AspNetCore.Access;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.AspNetCore.Hosting;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Waiting;
using Weir.Jobs.Recording;
using Weir.Jobs.Rules;
using Weir.Jobs.Running;
using Weir.Jobs.Storage;

namespace Weir.Jobs.AspNetCore.Submitting;

/// <summary>Makes jobs of requests that ask for it, and answers with them.</summary>
/// <param name="services">The application.</param>
/// <param name="getRecorder">Gets what stores them.</param>
/// <param name="problems">Says why none was stored.</param>
/// <param name="waits">Waits for their end.</param>
/// <param name="results">Answers with what they bring.</param>
/// <param name="json">Answers with the job.</param>
internal sealed class JobDeferral(JobServices services, Func<JobRecorder> getRecorder, JobProblems problems, JobWaits waits, JobResults results, JobJson json) : ICallDeferral
{
    private const string ReplayedHeader = "Idempotent-Replayed";

    private readonly Lazy<JobRecorder> _recorder = new(getRecorder);

    public bool Takes(HttpContext http, Operation operation) => operation.Job!.Respond == JobRespond.Always || Preference.Of(http.Request.Headers).RespondsAsync;

    public async ValueTask AnswerAsync(OperationRequest request)
    {
        var http = request.Http;
        var operation = request.Call!.Operation;
        if (OwnerOf(http, operation, out var owner) is { } refused)
        {
            await ProblemResponse.WriteAsync(http, refused);
            return;
        }

        if (!IdempotencyKey.TryRead(http.Request.Headers, out var key))
        {
            await ProblemResponse.WriteAsync(http, ProblemMapping.From(
                new BindingException([new BindingError(IdempotencyKey.Header, "header", BindingErrorReason.Invalid, IdempotencyKey.Expected)]), includeDetails: false));
            return;
        }

        NewJobRequest submitted;
        JobRecord job;
        try
        {
            submitted = _recorder.Value.RequestOfCaller(request.Call, owner, key);
            await _recorder.Value.SubmitAsync([submitted], http.RequestAborted);
            job = await RecordOfAsync(submitted.Job, http.RequestAborted);
        }
        catch (Exception error) when (error is WeirException or ArgumentException or ObjectDisposedException)
        {
            // Whose key it is may be anyone of the anonymous callers: only a caller with a name learns of the job.
            Guid? named = error switch { JobOutcomeUnknownException unknown => unknown.Id, JobKeyReusedException reused when owner.Length > 0 => reused.Id, _ => null };
            if (named is { } id)
            {
                http.Response.Headers.Location = services.AddressOf(http, id);
            }

            await ProblemResponse.WriteAsync(http, problems.OfSubmission(operation, error), error);
            return;
        }
        catch (OperationCanceledException error) when (http.RequestAborted.IsCancellationRequested)
        {
            services.Shared.Cancel(http, operation, error);
            return;
        }

        if (submitted.Job.Existing is not null)
        {
            http.Response.Headers[ReplayedHeader] = "true";
        }

        // A request that waits holds no arguments: they are stored.
        request.Call = null;
        request.ReturnBuffers();
        await AnswerAsync(http, request.Format, request.Limit, job);
    }

    // What is stored is stored: whatever goes wrong from here on, the answer is 202 and where the job is.
    private async Task AnswerAsync(HttpContext http, IFormat format, TimeSpan? limit, JobRecord job)
    {
        var preference = Preference.Of(http.Request.Headers);
        var address = services.AddressOf(http, job.Id);
        var headers = http.Response.Headers;
        if (preference.Wait is { } seconds and > 0)
        {
            job = await WaitAsync(http, job, Shorter(TimeSpan.FromSeconds(seconds), limit));
            if (job.Status.HasEnded)
            {
                headers[Preference.AppliedHeader] = preference.RespondsAsync ? $"respond-async, wait={seconds}" : $"wait={seconds}";
                headers.ContentLocation = $"{address}/result";
                try
                {
                    await results.AnswerAsync(http, job, format, fromStart: true);
                    return;
                }
                catch (Exception error) when (!http.Response.HasStarted && IsOfStore(http, error))
                {
                    headers.Remove(Preference.AppliedHeader);
                    headers.ContentLocation = default;
                }
            }
        }

        if (preference.RespondsAsync)
        {
            headers[Preference.AppliedHeader] = "respond-async";
        }

        headers.Location = address;
        await json.WriteAsync(http, StatusCodes.Status202Accepted, job);
    }

    private async ValueTask<JobRecord> WaitAsync(HttpContext http, JobRecord job, TimeSpan time)
    {
        try
        {
            var (now, _) = await waits.WaitAsync(job, time, http.RequestAborted);
            return now ?? job;
        }
        catch (Exception error) when (IsOfStore(http, error))
        {
            return job;
        }
    }

    // The store does not answer now, or the application's request timeout has passed: the client is still connected.
    private static bool IsOfStore(HttpContext http, Exception error) =>
        error is WeirException or ObjectDisposedException || (error is OperationCanceledException && CancelledRequest.HasTimedOut(http));

    private static TimeSpan Shorter(TimeSpan time, TimeSpan? limit) => limit < time ? limit.Value : time;

    // An accepted job needs no look into the store. The key has found another one where it is set; what that is cannot be said without the look.
    private async ValueTask<JobRecord> RecordOfAsync(NewJob submitted, CancellationToken cancellationToken)
    {
        if (submitted.Existing is not { } existing)
        {
            return submitted.Claimed?.Record ?? submitted.ToRecord(JobRules.Accept(submitted.Due, submitted.Submitted), started: null);
        }

        try
        {
            return await services.Jobs.FindAsync(existing, cancellationToken) ?? throw StoredJobs.Missing(existing);
        }
        catch (Exception error) when (error is WeirException or ObjectDisposedException)
        {
            throw new JobOutcomeUnknownException(existing, error);
        }
    }

    // Why the caller cannot own a job; null where it can.
    private Problem? OwnerOf(HttpContext http, Operation operation, out string owner)
    {
        var claim = services.Engine.OwnerClaim;
        owner = JobOwner.Of(http.User, claim) ?? "";
        if (owner.Length > 0)
        {
            return null;
        }

        var isAuthenticated = http.User.Identities.Any(static identity => identity.IsAuthenticated);
        var metadata = http.GetEndpoint()?.Metadata;
        if (!isAuthenticated && (metadata is null || metadata.GetMetadata<IAllowAnonymous>() is not null || !metadata.Any(ServiceFallback.IsGuard)))
        {
            return null;
        }

        var named = claim is null ? "the claim NameIdentifier, sub or the name" : $"the claim '{claim}', which Weir:Jobs:OwnerClaim names";
        return new Problem(StatusCodes.Status403Forbidden, WeirCodes.JobCallerUnnamed, isAuthenticated
            ? $"A job of {operation} belongs to its submitter, and this caller has no name: its identity lacks {named}. Call the operation without a job, or have the identity issued with the claim."
            : $"{operation} has a policy, and the caller is anonymous: everyone who knows the id of its job could read it. Call the operation without a job, or authenticate.");
    }
}
