using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace Weir.Lab.Isolation;

/// <summary>Timed tasks in one of the document's environments.</summary>
public static class TaskRounds
{
    /// <summary>One after the other, each awaited, by value or by buffer.</summary>
    public static IEnumerable<ControlLine> OneAtATime(IsolatedWorker worker, ControlLine request)
    {
        var isValue = request.Is("mode", LineProtocol.Value);
        var bytes = request.Int("bytes");
        var kind = KindOf(request);
        var limit = RoundLimit.Of(request);
        var ticks = new List<long>(RoundLimit.Expected);
        var watch = Stopwatch.StartNew();
        while (limit.GoesOn(ticks.Count, watch))
        {
            var before = watch.ElapsedTicks;
            using (var pending = isValue ? worker.QueueTask(bytes) : worker.QueueTask(new byte[bytes]))
                Finish(pending, kind);
            ticks.Add(watch.ElapsedTicks - before);
        }

        return Readings.OfRoundTrips(ticks, watch.Elapsed.TotalSeconds);
    }

    /// <summary>A window in flight, as far as the environment takes so many: the document's pool is bounded by its queue and its workers.</summary>
    public static IEnumerable<ControlLine> InFlight(IsolatedWorker worker, ControlLine request)
    {
        var bytes = request.Int("bytes");
        var kind = KindOf(request);
        var most = request.Int("window");
        var limit = RoundLimit.Of(request);
        var window = new Queue<PendingTask>(most);
        var watch = Stopwatch.StartNew();
        long begun = 0;
        for (; limit.GoesOn(begun, watch); begun++)
        {
            if (window.Count == most)
                FinishOldest();
            window.Enqueue(worker.QueueTask(new byte[bytes]));
        }

        while (window.Count > 0)
            FinishOldest();
        return Readings.OfRate(begun, watch.Elapsed.TotalSeconds);

        void FinishOldest()
        {
            using (var pending = window.Dequeue())
                Finish(pending, kind);
        }
    }

    private static TaskKind KindOf(ControlLine request) => (TaskKind)Enum.Parse(typeof(TaskKind), request["kind"]);

    private static void Finish(PendingTask pending, TaskKind kind)
    {
        pending.Done.Wait();
        HelloAnswer.Checked(kind, pending.ReturnValue);
    }
}
