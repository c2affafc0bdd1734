namespace Weir.Execution.Processes;

/// <summary>One pool as a guest in its host's room.</summary>
internal sealed class RoomGuest(PoolSpec spec, PoolEvents events, WorkerLog log) : IRoomGuest
{
    private static readonly TimeSpan TellPause = TimeSpan.FromMinutes(1);

    private long? _toldAt;
    private long? _failedAt;

    public bool IsPressed
    {
        get
        {
            var isPressed = false;
            events.Decide(0, (table, _, _, _) => isPressed = table.Queue.Count > 0 || table.Live + table.Starting < table.Settings.MinWorkers);
            return isPressed;
        }
    }

    public void Tick() => events.Tick();

    public int Shrink(int most)
    {
        var gone = 0;
        events.Decide(most, (table, most, now, actions) =>
        {
            if (table.Idle.Count > 0)
            {
                gone = table.Idle.Count;
                PoolDecisions.Shrink(table, most, now, actions);
                gone -= table.Idle.Count;
            }
        });
        return gone;
    }

    public void AddMemories(List<long> memories)
    {
        var serving = new List<WorkerProcess>();
        events.Decide(serving, static (table, serving, _, _) => serving.AddRange(
            table.Workers.Where(static worker => worker.State is not (WorkerState.Absent or WorkerState.Starting)).Select(static worker => worker.Process).OfType<WorkerProcess>()));
        memories.AddRange(serving.Select(static worker => worker.ReadPrivateMemory()).OfType<long>());
    }

    /// <summary>Says it once a minute: a pool that is short asks every second.</summary>
    public void TellShort(int wanted, string bound)
    {
        if (IsDue(ref _toldAt))
        {
            log.Say((spec.Name, wanted, bound), static (logger, room) => PoolLog.NoRoom(logger, room.Name, room.wanted, room.bound));
        }
    }

    public void ReportFailure(Exception failure)
    {
        if (IsDue(ref _failedAt))
        {
            log.Say((spec.Name, failure), static (logger, look) => PoolLog.CallbackFailed(logger, look.failure, look.Name, "reading what the machine has left"));
        }
    }

    private bool IsDue(ref long? saidAt)
    {
        if (saidAt is { } said && spec.Time.GetElapsedTime(said) < TellPause)
        {
            return false;
        }

        saidAt = spec.Time.GetTimestamp();
        return true;
    }
}
