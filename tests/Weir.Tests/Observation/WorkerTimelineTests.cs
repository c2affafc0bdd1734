using System.Runtime.CompilerServices;
using Weir.Execution.Observation;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Pools.Workers;

namespace Weir.Tests.Observation;

public sealed class WorkerTimelineTests
{
    [Fact]
    public void An_event_uses_40_bytes() => Assert.InRange(Unsafe.SizeOf<WorkerEvent>(), 1, 40);

    [Fact]
    public void Events_are_read_in_their_order_and_only_the_new_ones_after_an_earlier_reading()
    {
        var timeline = new WorkerTimeline();
        Assert.Empty(timeline.Read(0, out _));
        Add(timeline, 3);
        Assert.Equal([0, 1, 2], Serials(timeline.Read(0, out var dropped)));
        Assert.Equal(0, dropped);
        var count = timeline.Count;
        Add(timeline, 2);
        Assert.Equal([3, 4], Serials(timeline.Read(count, out dropped)));
        Assert.Equal(0, dropped);
        Assert.Empty(timeline.Read(timeline.Count, out _));
    }

    [Fact]
    public void The_oldest_are_dropped_and_counted()
    {
        var timeline = new WorkerTimeline(capacity: 64);
        Add(timeline, 100);
        Assert.Equal(100, timeline.Count);
        Assert.Equal(Enumerable.Range(36, 64).Select(static i => (long)i), Serials(timeline.Read(0, out var dropped)));
        Assert.Equal(36, dropped);
        Assert.Equal([98, 99], Serials(timeline.Read(98, out dropped)));
        Assert.Equal(0, dropped);
    }

    [Fact]
    public void Memory_follows_the_number_of_events()
    {
        var allocated = GC.GetAllocatedBytesForCurrentThread();
        var timeline = new WorkerTimeline();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - allocated, 1, 200);
        Add(timeline, 1);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - allocated, 200, 2000);
        Add(timeline, 2 * WorkerTimeline.DefaultCapacity);
        allocated = GC.GetAllocatedBytesForCurrentThread();
        Add(timeline, 1000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - allocated);
    }

    [Fact]
    public void A_failure_is_in_the_timeline_with_the_id_of_its_report()
    {
        var time = new ManualTime();
        time.Advance(TimeSpan.FromSeconds(5));
        var observer = new WorkerObserver(time);
        observer.Started("hashing", 3, 1, 4711);
        observer.Ready("hashing", 3, 1, 4711);
        time.Advance(TimeSpan.FromSeconds(5));
        observer.Ended("hashing", 3, 1, 4711, WorkerEnd.FailedInCall, Report());
        observer.Ended("hashing", 4, 1, 4712, WorkerEnd.Idle, report: null);

        var events = observer.Timeline.Read(0, out _);
        Assert.Equal([WorkerEventKind.Started, WorkerEventKind.Ready, WorkerEventKind.Ended, WorkerEventKind.Ended], events.Select(static one => one.Kind));
        Assert.Equal(DateTimeOffset.UnixEpoch.AddSeconds(10), events[2].At);
        Assert.True(events[2].IsFailure);
        Assert.False(events[3].IsFailure);
        Assert.NotNull(observer.Reports.Find(events[2].ReportId));
        Assert.Null(observer.Reports.Find(events[3].ReportId));
    }

    [Fact]
    public void An_end_says_whether_the_worker_was_asked_to_leave_and_why()
    {
        Assert.Equal(WorkerEnd.Idle, EndReasons.Of(null, RetirementReason.Idle, KillReason.None));
        Assert.Equal(WorkerEnd.Reloaded, EndReasons.Of(null, RetirementReason.Generation, KillReason.None));
        Assert.Equal(WorkerEnd.Memory, EndReasons.Of(null, RetirementReason.Memory, KillReason.None));
        Assert.Equal(WorkerEnd.Drained, EndReasons.Of(null, RetirementReason.Drain, KillReason.None));
        Assert.Equal(WorkerEnd.NotNeeded, EndReasons.Of(null, RetirementReason.None, KillReason.NotNeeded));
        Assert.Equal(WorkerEnd.Stopped, EndReasons.Of(null, RetirementReason.Idle, KillReason.Stopping));
        Assert.Equal(WorkerEnd.StartFailed, EndReasons.Of(WorkerExitKind.Start, RetirementReason.None, KillReason.None));
        Assert.Equal(WorkerEnd.FailedInCall, EndReasons.Of(WorkerExitKind.Call, RetirementReason.None, KillReason.None));
        Assert.Equal(WorkerEnd.FailedIdle, EndReasons.Of(WorkerExitKind.Idle, RetirementReason.None, KillReason.None));
        Assert.Equal(WorkerEnd.Killed, EndReasons.Of(WorkerExitKind.Call, RetirementReason.None, KillReason.IgnoredCancel));
        Assert.Equal(WorkerEnd.Killed, EndReasons.Of(WorkerExitKind.Drain, RetirementReason.Idle, KillReason.DidNotExit));
    }

    private static CrashReport Report() => new()
    {
        Id = "hashing-4711-3",
        Pool = "hashing",
        ProcessId = 4711,
        Generation = 1,
        At = DateTimeOffset.UnixEpoch,
        Phase = "call",
        Cause = "out of memory",
        Age = TimeSpan.Zero,
        CallsDone = 0,
        Calls = [],
        Output = "",
        Limits = AppliedLimits.None,
    };

    private static void Add(WorkerTimeline timeline, int count)
    {
        for (var i = 0; i < count; i++)
        {
            timeline.Add(new WorkerEvent("pool", timeline.Count, 0, 1, 0, WorkerEventKind.Started, WorkerEnd.None));
        }
    }

    private static IEnumerable<long> Serials(WorkerEvent[] events) => events.Select(static one => one.Serial);
}
