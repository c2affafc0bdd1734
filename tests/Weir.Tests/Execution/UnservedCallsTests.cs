using Weir.Execution.Pipeline;

namespace Weir.Tests.Execution;

/// <summary>Calls that were not served are one line for each 10 s in which there were any.</summary>
public sealed class UnservedCallsTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly List<(long Calls, double Seconds, string Reasons)> _lines = [];
    private readonly UnservedCalls _calls;

    public UnservedCallsTests() => _calls = new UnservedCalls(_time, static () => 2, (calls, seconds, reasons) => _lines.Add((calls, seconds, reasons)));

    public void Dispose() => _calls.Dispose();

    [Fact]
    public void No_timer_is_set_while_all_calls_are_served()
    {
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(0, _time.ActiveTimers);
        _calls.Note(UnservedReason.Late);
        Assert.Equal(1, _time.ActiveTimers);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(0, _time.ActiveTimers);
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((1, 10.0, "1 passed their deadline"), Assert.Single(_lines));
    }

    [Fact]
    public void All_of_10_seconds_are_counted_by_their_reasons()
    {
        for (var i = 0; i < 57; i++)
        {
            _calls.Note(new CallRejectedException(WeirCodes.QueueFull, "full"));
        }

        _calls.Note(new DeadlineExceededException("late"));
        _calls.Note(new CallRejectedException(WeirCodes.ProgramMissing, "missing"));
        _calls.Note(new WorkerLostException(WeirCodes.WorkerLost, "not run", "p", 0, "quarantine"));

        // A lost worker has a record of its own, and a host that shuts down refuses calls by intention.
        _calls.Note(new WorkerLostException(WeirCodes.WorkerLost, "lost", "p", 12, "signal 9", "p-12-1"));
        _calls.Note(new WorkerLostException(WeirCodes.WorkerStartFailed, "not started", "p", 0, "cold"));
        _calls.Note(new CallRejectedException(WeirCodes.Draining, "draining"));
        _calls.Note(new InvalidOperationException("of the operation"));
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(
            (60, 10.0, "57 were rejected, because its queue of 2 (QueueLimit) is full; 1 passed their deadline; 1 are in quarantine, because calls like them made workers fail; 1 were rejected, because no worker could be started"),
            Assert.Single(_lines));
    }

    [Fact]
    public void What_is_not_reported_yet_is_reported_at_the_end()
    {
        _calls.Note(UnservedReason.QueueFull);
        _time.Advance(TimeSpan.FromSeconds(4));
        _calls.Dispose();
        Assert.Equal((1, 4.0), Assert.Single(_lines) is var (calls, seconds, _) ? (calls, seconds) : default);
        _calls.Note(UnservedReason.QueueFull);
        _calls.Dispose();
        Assert.Single(_lines);
        Assert.Equal(0, _time.ActiveTimers);
    }
}
