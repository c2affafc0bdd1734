using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Hosting;

namespace Weir.Jobs.AspNetCore.Problems;

/// <summary>What goes wrong with jobs, as HTTP describes it. Used concurrently.</summary>
/// <param name="services">The application.</param>
internal sealed class JobProblems(JobServices services)
{
    /// <summary>An id that never existed and a job of another caller have the same answer: it does not show which of them exist.</summary>
    public static Problem NotFound { get; } = new(
        StatusCodes.Status404NotFound, WeirCodes.JobNotFound, "There is no such job that this caller may see: it never existed, belongs to another caller, or was deleted after its retention.");

    /// <summary>The store is closed.</summary>
    public static Problem Stopped { get; } = new(StatusCodes.Status503ServiceUnavailable, WeirCodes.JobStoreUnavailable, "The host stops, and its store of jobs is closed. Ask another host.") { RetryAfter = TimeSpan.FromSeconds(1) };

    /// <summary>It was there when the request began.</summary>
    public static Problem Gone(Guid id, string why) => new(StatusCodes.Status410Gone, WeirCodes.JobContentGone, $"Of job {id}, what was asked for is not there any more: {why}.");

    /// <summary>Why a job has no result.</summary>
    /// <param name="operation">The operation of its kind; <c>null</c> where this process has none.</param>
    /// <param name="failure">What a caller of the operation would catch.</param>
    /// <param name="id">The job.</param>
    public Problem Of(Operation? operation, Exception failure, Guid id)
    {
        var problem = failure switch
        {
            JobException job => new Problem(StatusOf(job), job.Code, job.Message),
            _ when operation is not null => services.Shared.Describe(operation, failure),
            _ => ProblemMapping.From(failure, services.Shared.Options.IncludeExceptionDetails),
        };

        // It was logged when the job ran, and this request has another trace.
        return problem with { Detail = problem.Detail.Replace("under this traceId", $"with the id of job {id}", StringComparison.Ordinal) };
    }

    /// <summary>Why a submission stored no job, or may not have.</summary>
    public Problem OfSubmission(Operation operation, Exception failure) => failure switch
    {
        // Without its id, which is all that an anonymous caller needs to read and cancel it: a key may be guessed.
        JobKeyReusedException reused => new Problem(
            StatusCodes.Status422UnprocessableEntity, reused.Code, $"The Idempotency-Key of the request belongs to a job of {operation} that has other arguments: use another key for another call."),
        JobOutcomeUnknownException unknown => new Problem(
            StatusCodes.Status503ServiceUnavailable, unknown.Code,
            $"The job {unknown.Id} may have been accepted: read it at its Location, or repeat the request with the same Idempotency-Key.")
        { RetryAfter = TimeSpan.FromSeconds(1) },
        ObjectDisposedException => Stopped,
        PayloadTooLargeException large => new Problem(StatusCodes.Status413PayloadTooLarge, large.Code, large.Message),
        ArgumentException argument => new Problem(StatusCodes.Status400BadRequest, WeirCodes.BadArguments, TextOf(argument)),
        _ => services.Shared.Describe(operation, failure),
    };

    /// <summary>Why a request of an operator was refused.</summary>
    public Problem OfAdmin(Exception failure) => failure switch
    {
        JobException job => new Problem(StatusCodes.Status409Conflict, job.Code, job.Message),
        PayloadTooLargeException large => new Problem(StatusCodes.Status413PayloadTooLarge, large.Code, large.Message),
        ArgumentException argument => new Problem(StatusCodes.Status400BadRequest, WeirCodes.BadArguments, TextOf(argument)),
        _ => ProblemMapping.From(failure, services.Shared.Options.IncludeExceptionDetails),
    };

    // Without the name of a parameter of ours.
    private static string TextOf(ArgumentException argument) => argument.Message.Split(" (Parameter '", 2)[0];

    private static int StatusOf(JobException job) => (job.State, job.Reason) switch
    {
        (JobState.Cancelled or JobState.Expired, _) => StatusCodes.Status409Conflict,
        (JobState.Failed, JobReason.Lost or JobReason.Interrupted) => StatusCodes.Status502BadGateway,
        _ => StatusCodes.Status500InternalServerError,
    };
}
