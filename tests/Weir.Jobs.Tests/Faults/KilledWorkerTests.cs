using Weir.Jobs.Payloads;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Faults;

/// <summary>Jobs that end the worker in which they run.</summary>
public sealed class KilledWorkerTests
{
    [Fact]
    public async Task A_job_that_ends_its_worker_is_started_twice_where_it_is_idempotent_and_once_where_it_is_not()
    {
        using var rig = new FaultRig();
        using (await rig.RunAsync("submit", "Isolated*4,EndsWorker,IsolatedRepeatable*4,EndsWorkerRepeatable,Isolated*4,Once*4", "--Seed", "0"))
        {
        }

        var jobs = await rig.CheckAsync();
        Assert.Equal(1, Ends("IsolatedWork/EndsWorker"));
        Assert.Equal(2, Ends("IsolatedWork/EndsWorkerRepeatable"));
        Assert.All(jobs.Values.Where(static one => !one.Job.Kind.Contains("EndsWorker", StringComparison.Ordinal)), static one => Assert.Equal(JobState.Succeeded, one.Job.Status.State));

        int Ends(string kind)
        {
            var (job, attempts) = Assert.Single(jobs.Values, one => one.Job.Kind == kind);
            Assert.Equal((JobState.Failed, JobReason.Crashed), (job.Status.State, job.Status.Reason));
            Assert.All(attempts, AssertReported);
            Assert.Equal(job.Status.Crashes, attempts.Count);
            return rig.Starts()[job.Id];
        }
    }

    private static void AssertReported(JobAttempt attempt)
    {
        Assert.Equal(JobEvent.Crashed, attempt.Happened);
        var failure = JobFailure.Read(attempt.Failure);
        Assert.False(string.IsNullOrEmpty(failure.ReportId));
        Assert.Contains("a job ends its worker", failure.Report, StringComparison.Ordinal);
    }
}
