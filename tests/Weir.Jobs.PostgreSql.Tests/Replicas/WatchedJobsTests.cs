using Weir.Jobs.PostgreSql.Replicas;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

public sealed class WatchedJobsTests
{
    private static readonly WatchedState First = new(0, 3, 0.5, 7);

    [Fact]
    public void A_job_differs_when_something_of_it_has_changed()
    {
        var watched = new WatchedJobs();
        var job = Guid.NewGuid();
        Assert.False(watched.Differs(job, First));
        watched.Add(job);
        Assert.True(watched.Differs(job, First));
        Assert.False(watched.Differs(job, First));
        foreach (var next in new[] { First with { Items = 4 }, First with { Run = 1 }, First with { Progress = 0.75 }, First with { Text = null } })
        {
            Assert.True(watched.Differs(job, next));
            Assert.False(watched.Differs(job, next));
        }
    }

    [Fact]
    public void A_job_that_has_ended_is_watched_no_more()
    {
        var watched = new WatchedJobs();
        var job = Guid.NewGuid();
        watched.Add(job);
        Assert.True(watched.Differs(job, null));
        Assert.Empty(watched.All());
        Assert.False(watched.Differs(job, null));
    }

    [Fact]
    public void A_row_is_marked_once()
    {
        var watched = new WatchedJobs();
        var (job, other) = (Guid.NewGuid(), Guid.NewGuid());
        Assert.False(watched.Add(job));
        Assert.False(watched.Add(job));
        watched.Add(other);
        watched.Marked(job);
        Assert.True(watched.Add(job));
        Assert.Equal([other], watched.Unmarked());
        watched.Remove(job);
        Assert.False(watched.Add(job));
    }

    [Fact]
    public void Of_too_many_the_first_are_left_out()
    {
        var watched = new WatchedJobs(most: 3);
        var jobs = Enumerable.Range(0, 5).Select(static _ => Guid.NewGuid()).ToArray();
        watched.Add(jobs[0]);
        watched.Add(jobs[1]);
        watched.Remove(jobs[0]);
        foreach (var job in jobs[2..])
        {
            watched.Add(job);
        }

        Assert.Equal(jobs[2..].Order(), watched.All().Order());
    }
}
