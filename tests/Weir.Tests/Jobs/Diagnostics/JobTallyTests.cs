using Weir.Jobs.Diagnostics;

namespace Weir.Tests.Jobs.Diagnostics;

/// <summary>What is counted of jobs for people who look.</summary>
public sealed class JobTallyTests
{
    private static readonly Guid First = Guid.Parse("0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7081");
    private static readonly Guid Second = Guid.Parse("0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7082");

    private readonly ManualTime _time = new();
    private readonly JobTally _tally;

    public JobTallyTests() => _tally = new JobTally(_time);

    [Fact]
    public void Jobs_that_ended_and_failed_are_counted_for_a_minute_and_the_last_failure_is_kept()
    {
        _tally.Ended("Build", First, JobState.Failed, JobReason.Exception);
        _tally.Ended("Build", Second, JobState.Failed, JobReason.Timeout);
        _tally.Ended("Build", First, JobState.Succeeded, JobReason.None);
        _tally.Ended("Build", First, JobState.Expired, JobReason.None);
        _tally.Ended("Send", First, JobState.Succeeded, JobReason.None);
        _time.Advance(TimeSpan.FromSeconds(59));
        var read = _tally.Read("Build");
        Assert.Equal((4, 2, (Second, JobReason.Timeout)), (read.Ended, read.Failed, read.LastFailed!.Value));
        Assert.Equal(1, _tally.Read("Send").Ended);
        _time.Advance(TimeSpan.FromSeconds(11));
        read = _tally.Read("Build");
        Assert.Equal((0, 0, 0.0, (Second, JobReason.Timeout)), (read.Ended, read.Failed, read.Rate, read.LastFailed!.Value));
    }

    [Fact]
    public void A_job_whose_kind_is_not_known_and_a_kind_without_jobs_count_nothing()
    {
        _tally.Ended(null, First, JobState.Failed, JobReason.Exception);
        Assert.Equal(default, _tally.Read("Build"));
    }

    [Fact]
    public void The_rate_is_of_the_time_that_was_counted()
    {
        for (var second = 0; second < 300; second++)
        {
            _tally.Ended("Build", First, JobState.Succeeded, JobReason.None);
            _tally.Ended("Build", First, JobState.Succeeded, JobReason.None);
            Assert.InRange(_tally.Read("Build").Rate, 1.9, second < 3 ? 4 : 2.7);
            _time.Advance(TimeSpan.FromSeconds(1));
        }
    }

    [Fact]
    public void Percentiles_are_of_the_attempts_of_the_last_minute()
    {
        for (var i = 0; i < 90; i++)
        {
            _tally.Ran("Build", TimeSpan.FromMilliseconds(1));
        }

        for (var i = 0; i < 10; i++)
        {
            _tally.Ran("Build", TimeSpan.FromMilliseconds(100));
        }

        _time.Advance(TimeSpan.FromSeconds(25));
        var read = _tally.Read("Build");
        Assert.InRange(read.P50!.Value, 0.00093, 0.00107);
        Assert.InRange(read.P99!.Value, 0.093, 0.107);
        _time.Advance(TimeSpan.FromMinutes(5));
        Assert.Null(_tally.Read("Build").P50);
        _tally.Ran("Build", TimeSpan.FromMilliseconds(10));
        Assert.InRange(_tally.Read("Build").P99!.Value, 0.0093, 0.0107);
    }
}
