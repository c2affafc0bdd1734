using Microsoft.AspNetCore.Http;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.AspNetCore.Endpoints;

/// <summary>The state in which the caller of a change has seen the job, in the query: <c>?state=failed</c>.</summary>
internal static class SeenState
{
    private const string Name = "state";

    /// <summary>Lets a change pass if the job is still in the state that was seen, or the query names none.</summary>
    /// <param name="http">The request.</param>
    /// <param name="job">The job, as it is now.</param>
    /// <exception cref="BindingException">The query names no state of a job, or several.</exception>
    /// <exception cref="JobException">The job is in another state by now.</exception>
    public static void Check(HttpContext http, JobRecord job)
    {
        var sent = http.Request.Query[Name];
        if (sent.Count == 0)
        {
            return;
        }

        if (sent is not [{ } text] || JobJson.StateOf(text) is not { } seen)
        {
            throw new BindingException([new BindingError(Name, "query", BindingErrorReason.Invalid, JobJson.States)]);
        }

        var now = job.Status;
        if (now.State != seen)
        {
            throw new JobException(job.Id, now.State, now.Reason, $"Job {job.Id} is {JobJson.Word(now.State)} now and was seen as {JobJson.Word(seen)}: nothing was changed. See {WeirCodes.JobWithoutResult}.");
        }
    }
}
