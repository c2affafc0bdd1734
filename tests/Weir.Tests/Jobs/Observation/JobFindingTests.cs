using Weir.Execution.Observation.Findings;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Health;
using Weir.Jobs.Observation;
using Weir.Jobs.Running;
using Weir.Tests.Execution;

namespace Weir.Tests.Jobs.Observation;

/// <summary>Each kind of finding of jobs is raised by its cause at once, and cleared ten seconds after it.</summary>
public sealed class JobFindingTests
{
    private static readonly DateTimeOffset Start = DateTimeOffset.UnixEpoch.AddDays(1);
    private static readonly Guid Job = Guid.Parse("0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7081");
    private static readonly JobKind Build = Kind("Build");

    [Theory]
    [InlineData("does not commit", "the store of jobs does not commit: disk full")]
    [InlineData("is not open", "the store of jobs is not open: disk full")]
    public void A_store_that_does_not_answer_is_found(string what, string sentence)
    {
        var finding = RaisedAndCleared(new JobsCondition { StoreFailure = (what, new InvalidOperationException("disk full")) });
        Assert.Equal(("jobStore", FindingSeverity.Failing, sentence), (finding.Name, finding.Severity, finding.Sentence));
        Assert.Contains(WeirCodes.JobStoreUnavailable, finding.ToDo, StringComparison.Ordinal);
    }

    [Fact]
    public void Jobs_that_failed_in_the_last_minute_are_found_with_the_last_one_and_its_reason()
    {
        var finding = RaisedAndCleared(new JobsCondition(), new KindFigures(3, 2, 0.05, null, null, (Job, JobReason.Crashed)));
        Assert.Equal(("jobsFailed", FindingSeverity.Failing, "Reports/Build", "Reports/Build"), (finding.Name, finding.Severity, finding.Operation, finding.Subject));
        Assert.Equal($"Reports/Build: 2 jobs failed in the last minute, the last one {Job} (Crashed)", finding.Sentence);
        Assert.Contains("weir jobs show", finding.ToDo, StringComparison.Ordinal);
    }

    [Fact]
    public void Jobs_that_failed_longer_ago_and_jobs_that_succeeded_are_not_found() =>
        Assert.Empty(Find(new JobsCondition { Running = 8 }, new KindFigures(100, 0, 2, 1, 3, (Job, JobReason.Timeout))));

    [Fact]
    public void A_kind_that_is_paused_while_jobs_of_it_wait_is_found()
    {
        var finding = RaisedAndCleared(new JobsCondition { Paused = [(Build, 1204)] });
        Assert.Equal(("jobsPaused", FindingSeverity.Waiting, "Reports/Build is paused, and 1,204 jobs of it wait"), (finding.Name, finding.Severity, finding.Sentence));
        Assert.Contains("weir jobs resume", finding.ToDo, StringComparison.Ordinal);
    }

    [Fact]
    public void A_schedule_that_makes_no_jobs_is_found_with_the_reason()
    {
        var finding = RaisedAndCleared(new JobsCondition { FailingSchedules = [("nightly", "there is no time zone 'Mars'.")] });
        Assert.Equal(("jobSchedule", FindingSeverity.Waiting, "nightly", "the schedule nightly makes no jobs: there is no time zone 'Mars'"), (finding.Name, finding.Severity, finding.Subject, finding.Sentence));
    }

    [Fact]
    public void Code_that_ignores_its_token_is_found_with_the_job()
    {
        var finding = RaisedAndCleared(new JobsCondition { IgnoringToken = [(Job, Build)] });
        Assert.Equal(("jobIgnoresToken", FindingSeverity.Waiting, Job.ToString(), "Reports/Build"), (finding.Name, finding.Severity, finding.Subject, finding.Operation));
        Assert.Contains("ignores its token", finding.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void What_else_makes_the_health_check_degraded_is_found_too()
    {
        Assert.Equal(("jobArguments", FindingSeverity.Waiting), NameOf(RaisedAndCleared(new JobsCondition { Held = [Build] })));
        Assert.Equal(("jobStoreWarning", FindingSeverity.Waiting), NameOf(RaisedAndCleared(new JobsCondition { Warning = "It does not listen." })));
        Assert.Equal(("jobsDeleted", FindingSeverity.Notice), NameOf(RaisedAndCleared(new JobsCondition { DeletedEarly = 1 })));

        static (string?, FindingSeverity) NameOf(Finding finding) => (finding.Name, finding.Severity);
    }

    [Fact]
    public void Findings_of_two_kinds_are_two()
    {
        var tracker = new FindingTracker();
        tracker.Update([.. JobFindings.Of(new JobsCondition { Paused = [(Build, 1), (Kind("Send"), 1)], Held = [Build] }, [])], Start);
        Assert.Equal(3, tracker.Current.Count);
    }

    private static Finding[] Find(JobsCondition condition, KindFigures figures = default) => [.. JobFindings.Of(condition, [(Build, figures)])];

    // Raised at once; there after 9.9 s without its cause, and not after 10.
    private static Finding RaisedAndCleared(JobsCondition condition, KindFigures figures = default)
    {
        var tracker = new FindingTracker();
        tracker.Update(Find(condition, figures), Start);
        var finding = Assert.Single(tracker.Current);
        Assert.Equal((FindingKind.Part, Start), (finding.Kind, finding.Since));
        Assert.NotEmpty(finding.ToDo);
        tracker.Update(Find(new JobsCondition()), Start.AddSeconds(9.9));
        Assert.Equal(finding.Key, Assert.Single(tracker.Current).Key);
        tracker.Update(Find(new JobsCondition()), Start.AddSeconds(10));
        Assert.Empty(tracker.Current);
        return finding;
    }

    private static JobKind Kind(string name)
    {
        var operation = new Operation
        {
            Name = name,
            Verbs = Verbs.Post,
            ResultKind = ResultKind.Value,
            Signature = 1,
            Job = new OperationJob(),
            CreateCall = static operation => new DelegateCall(operation, static _ => 0),
        };
        _ = new Service { Name = "Reports", TypeName = "Reports", CreateInstance = static _ => new object(), Operations = [operation] };
        return new JobKind(operation, null, isShared: false) { Group = new SlotGroup(1), RunsInWorker = false };
    }
}
