using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.Responses;
using Weir.AspNetCore.Streaming;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.AspNetCore.Items;

/// <summary>The durable items of a job, as they come, to its end. What becomes of the response means nothing to the job.</summary>
/// <param name="problems">Says why a job has failed.</param>
/// <param name="call">Stands for the call of the job: status and headers are its own.</param>
/// <param name="job">The job.</param>
/// <param name="source">Its items.</param>
/// <param name="position">Where the reader begins.</param>
/// <param name="time">The clock.</param>
/// <param name="stopping">Is cancelled when the host begins to stop.</param>
internal sealed class JobFeed(JobProblems problems, StreamCall call, JobRecord job, JobItemSource source, ItemPosition position, TimeProvider time, CancellationToken stopping) : StreamFeed
{
    internal override StreamCall Call => call;

    internal override Func<long>? First => () => position.Next;

    internal override bool SendsSoon => true;

    internal override string? StreamName => position.Name;

    internal override bool IsContinued => position.IsContinued;

    internal override bool CanContinue => true;

    internal override bool CanMove => true;

    internal override string? Stops => "the reading of the job's items";

    internal override async ValueTask SendAsync(HttpContext http, ResponseStream stream)
    {
        try
        {
            await stream.PumpAsync(source, http.RequestAborted);
        }
        catch (Exception error) when (error is WeirException or ObjectDisposedException && stopping.IsCancellationRequested && !source.HasEnded)
        {
            // The store is closed already. The response is about to be cut, and its reader continues on another host.
            await Task.Delay(Timeout.InfiniteTimeSpan, time, http.RequestAborted);
        }
    }

    internal override ValueTask<bool> IsAbsentAsync(HttpContext http, ResponseStream stream) => stream.IsAbsentAsync(isAnswered: false);

    // The run of the job has logged it.
    internal override bool TryReportFailure() => false;

    internal override Problem? Describe(Exception error) => source.IsGone
        ? JobProblems.Gone(job.Id, "the job was deleted, or begun again by hand")
        : problems.Of(call.Operation, error, job.Id);
}
