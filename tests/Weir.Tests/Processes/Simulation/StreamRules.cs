using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Flow;

namespace Weir.Tests.Processes.Simulation;

/// <summary>What must hold for streams, whose readers may be slow or stop reading.</summary>
internal sealed class StreamRules(World world, SimulatedPool pool)
{
    /// <summary>A worker sends an item.</summary>
    public void Sends(SimulatedRun run)
    {
        // One item may overdraw: only the unread bytes before it count.
        var unread = run.SentBytes - run.Call.Stream!.Passed;
        pool.Oracle.Holds(unread < ItemQueue.Window, "no more than the window is unread", $"{run.Call}: {unread} bytes");
    }

    /// <summary>An item has arrived at the host.</summary>
    public void Arrives(SimulatedCall call, int number)
    {
        pool.Oracle.Holds(number == call.Stream!.Arrived + 1, "the items of a stream arrive in order", $"{call}: {number} after {call.Stream.Arrived}");
        pool.Oracle.Holds(
            call.Outcomes is [] or ["left"], "no item arrives after the end of a stream",
            $"{call}: item {number} after {string.Join(", ", call.Outcomes)}");
    }

    public void Fits(SimulatedCall call, bool fits) => pool.Oracle.Holds(fits, "no more than the window is unread", $"{call}: an item without credit");

    /// <summary>The reader takes an item.</summary>
    public void Takes(SimulatedCall call, int number)
    {
        pool.Oracle.Holds(number == call.Stream!.Taken + 1, "the items of a stream arrive in order", $"{call}: {number} is taken after {call.Stream.Taken}");
        pool.Oracle.Holds(!call.Outcomes.Contains("left"), "a cancelled reader gets no items", $"{call}: item {number}");
    }

    /// <summary>The reader is cancelled because it stalls.</summary>
    public void Stalls(SimulatedCall call)
    {
        var quiet = world.Now - call.Stream!.QuietSince;
        pool.Oracle.Holds(quiet >= world.Scenario.StreamStall, "a slow reader has its full timeout", $"{call}: {quiet}");
        pool.Oracle.Holds(call.Stream.Unread > 0 || call.Stream.Taken > 0, "a reader that waits for items is not cancelled", $"{call}");
    }

    /// <summary>Called after every event.</summary>
    public void Check(SimulatedWorker worker, TimeSpan late, string after)
    {
        if (!worker.IsAlive || worker.Entry.Killed != KillReason.None || worker.Blocked is not { } blocked)
        {
            return;
        }

        // 1. The run may take without a limit: if no other call can run beside it, no call waits behind it.
        pool.Oracle.Holds(
            worker.Running.Count < pool.Promised.Concurrency || worker.Entry.Sent.Last is not { } last || last.CallId <= worker.Started,
            "no call waits behind a blocked stream", $"{worker.Entry.Sent.Last} behind {blocked.Call} in {worker} after '{after}'");

        // 2. But the reader may not block it without a limit. After it has left, the grace is the limit.
        var stream = blocked.Call.Stream!;
        pool.Oracle.Holds(
            !stream.IsFull || blocked.Call.GoneAt is not null || world.Now - stream.QuietSince <= world.Scenario.StreamStall + late,
            "a reader that takes nothing does not block its worker", $"{blocked.Call} in {worker} after '{after}'");
    }

    /// <summary>Called when no event is left.</summary>
    public void Rests(SimulatedCall call)
    {
        if (call is { Stream: { } stream, Outcomes: ["answered"], GoneAt: null })
        {
            var all = stream.Sizes.Length;
            pool.Oracle.Holds(stream.Arrived == all, "a reader that continues gets every item once", $"{call}: {stream.Arrived} of {all} came");
            pool.Oracle.Holds(
                !stream.GoesOn || stream.Taken == all, "a reader that continues gets every item once",
                $"{call}: {stream.Taken} of {all} were taken");
        }
    }
}
