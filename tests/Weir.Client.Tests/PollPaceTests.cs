using Weir.Client.Jobs;
using Weir.Runtime;

namespace Weir.Client.Tests;

/// <summary>How long a request waits on the server, and which failures a wait survives.</summary>
public sealed class PollPaceTests
{
    [Theory]
    [InlineData(-0.001, 60)]
    [InlineData(100, 60)]
    [InlineData(30, 25)]
    [InlineData(6, 1)]
    [InlineData(2, 1)]
    public void A_request_waits_less_than_the_HttpClient(double timeout, int seconds) => Assert.Equal(seconds, new PollPace(TimeSpan.FromSeconds(timeout), 10).Seconds);

    [Fact]
    public void A_request_that_is_given_up_on_the_way_is_followed_by_a_shorter_one()
    {
        var pace = new PollPace(TimeSpan.FromSeconds(-0.001), 10);
        var seconds = new List<int>();
        for (var attempt = 0; attempt < 6; attempt++)
        {
            seconds.Add(pace.Seconds);
            Assert.NotNull(pace.AfterFailure(attempt % 2 == 0 ? new TimeoutException() : new TaskCanceledException()));
        }

        Assert.Equal([60, 30, 15, 7, 5, 5], seconds);
    }

    [Fact]
    public void A_server_that_is_replaced_is_asked_again_without_a_limit()
    {
        var pace = new PollPace(TimeSpan.FromSeconds(100), 0);
        Exception[] passing = [new HttpRequestException(), new IOException(), Problem(429, ""), Problem(502, ""), Problem(503, WeirCodes.JobStoreUnavailable), Problem(503, "")];
        foreach (var error in Enumerable.Repeat(passing, 20).SelectMany(static errors => errors))
        {
            Assert.InRange(pace.AfterFailure(error)!.Value, TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(20));
        }

        Assert.Equal(60, pace.Seconds);
    }

    [Fact]
    public void What_a_wait_does_not_know_ends_it_after_some_attempts()
    {
        var pace = new PollPace(TimeSpan.FromSeconds(100), 2);
        Assert.NotNull(pace.AfterFailure(new Unknown()));
        Assert.NotNull(pace.AfterFailure(Problem(500, WeirCodes.HandlerFailed)));
        Assert.Null(pace.AfterFailure(new Unknown()));
        pace.AfterAnswer(TimeSpan.Zero, null);
        Assert.NotNull(pace.AfterFailure(new Unknown()));
    }

    [Fact]
    public void What_another_request_does_not_change_ends_a_wait()
    {
        var pace = new PollPace(TimeSpan.FromSeconds(100), null);
        Assert.Null(pace.AfterFailure(Problem(401, "")));
        Assert.Null(pace.AfterFailure(Problem(406, WeirCodes.NotAcceptable)));
        Assert.Null(pace.AfterFailure(new UnexpectedResponseException("no job")));
        Assert.Null(pace.AfterFailure(new ObjectDisposedException("http")));
    }

    [Fact]
    public void The_pause_is_what_the_server_asks_for_within_limits()
    {
        var pace = new PollPace(TimeSpan.FromSeconds(100), null);
        Assert.Equal(TimeSpan.Zero, pace.AfterAnswer(TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(1)));
        Assert.Equal(TimeSpan.FromSeconds(1), pace.AfterAnswer(TimeSpan.Zero, TimeSpan.FromSeconds(1)));
        Assert.Equal(TimeSpan.FromMilliseconds(100), pace.AfterAnswer(TimeSpan.Zero, TimeSpan.Zero));
        Assert.Equal(TimeSpan.FromMinutes(1), pace.AfterFailure(Problem(503, "", TimeSpan.FromDays(1))));
    }

    private static WeirException Problem(int status, string code, TimeSpan? retryAfter = null) => RemoteProblems.ToException(new RemoteProblem(status, code, "", "") { RetryAfter = retryAfter });

    private sealed class Unknown : Exception;
}
