using Weir.Execution.Pools.Scheduling;
using Weir.Runtime;

namespace Weir.Tests.Processes;

/// <summary>A decision allocates nothing: many events of every kind do not change the number of bytes that the thread allocated.</summary>
public sealed class DecisionAllocationTests
{
    // A collection that another test causes counts the rest of this thread's allocation buffer as allocated: such a round is repeated.
    private const int MostRounds = 4;

    private const int Events = 100_000;
    private const int Most = 32;

    // All objects that the events use exist before the measurement.
    private readonly PoolTable _table = new(new PoolSettings
    {
        MinWorkers = 1,
        MaxWorkers = 5,
        QueueLimit = 12,
        IdleTimeout = TimeSpan.FromMilliseconds(50),
        CancelGrace = TimeSpan.FromMilliseconds(20),

        // Workers fail all the time here; a pool that is closed, or rejects every call, would have nothing to decide.
        RestartBudget = 1000,
        QuarantineTime = TimeSpan.FromMilliseconds(20),
        MostStarting = 2,
        Standby = 1,
        MostTasks = 500,
        MostAge = TimeSpan.FromMilliseconds(300),
        SoftMemoryBytes = 1000,
    });

    private readonly PoolActions _actions = new();
    private readonly CallEntry[] _calls = [.. Enumerable.Range(0, Most).Select(static i => (CallEntry)new PrintedCall((ulong)(1 + (i % 7))))];
    private readonly WorkerEntry[] _fresh = [.. Enumerable.Range(0, 5 * Events).Select(static i => new WorkerEntry(i % 5))];
    private readonly Answer[] _answers = new Answer[Most];
    private readonly long[] _kinds = new long[20];
    private int _used;
    private ulong _chance = 42;
    private TimeSpan _now;

    [Fact]
    public void A_hundred_thousand_events_allocate_nothing()
    {
        var time = new OperationTime();
        for (var i = 0; i < Most; i++)
        {
            _calls[i].Time = i % 3 == 0 ? null : time;
            _calls[i].Bytes = 100;
            _calls[i].IsIdempotent = i % 2 == 0;
        }

        // Lists grow to their final capacity.
        Run(Events);
        Array.Clear(_kinds);
        var least = long.MaxValue;
        for (var round = 0; round < MostRounds && least > 0; round++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            Run(Events);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);

        // All kinds of events occurred, and calls completed.
        Assert.All(_kinds.Take(16), static count => Assert.True(count > 20, $"an event happened {count} times"));
        Assert.True(_table.Spawned > 100);
    }

    private void Run(int events)
    {
        for (var i = 0; i < events; i++)
        {
            _now += TimeSpan.FromMicroseconds(Chance(400));
            _actions.Clear();
            Happen();
            while (_table.Wanted > 0)
            {
                PoolDecisions.Grow(_table, _table.Wanted, _now, _actions);
            }

            if (PoolDecisions.NextTick(_table) <= _now)
            {
                PoolDecisions.Tick(_table, _now, _actions);
            }

            Obey();
        }
    }

    private void Happen()
    {
        if (Chance(30) == 0)
        {
            HappenToAll();
            return;
        }

        var call = _calls[Chance(Most)];
        var worker = _table.Workers[Chance(_table.Workers.Length)];
        switch (call.State)
        {
            case CallState.Ended or CallState.New when Chance(8) > 0:
                call.Renew();
                Count(0);
                call.Admission = (CallAdmission)Chance(3);
                PoolDecisions.Enter(_table, call, _now, _actions);
                return;
            case CallState.Ended:
                call.Renew();
                Count(1);
                call.Admission = (CallAdmission)Chance(3);
                PoolDecisions.Arrive(_table, call, _now, _actions);
                return;
            case CallState.Admitted:
                Count(2);
                PoolDecisions.Submit(_table, call, _now, _actions);
                return;
            case not CallState.New when Chance(20) == 0:
                Count(3);
                PoolDecisions.Cancel(_table, call, _now, _actions);
                return;
        }

        Happen(worker);
    }

    private void Happen(WorkerEntry worker)
    {
        switch (worker.State)
        {
            case WorkerState.Absent:
                break;
            case WorkerState.Starting when Chance(3) > 0:
                Count(4);
                WorkerDecisions.Ready(_table, worker, hasSharedMemory: Chance(4) > 0, _now, _actions);
                break;
            case WorkerState.Starting:
                Count(5);
                WorkerDecisions.StartFailed(_table, worker, isDefinite: Chance(20) == 0, _now, _actions);
                break;
            case WorkerState.Exiting or WorkerState.Retiring:
                Count(6);
                WorkerDecisions.ChannelEnded(_table, worker, worker.StartedThrough, _now, _actions);
                WorkerDecisions.Reaped(_table, worker, 0, Fresh(worker.Index), _now, _actions);
                break;
            default:
                Live(worker);
                break;
        }
    }

    private void Live(WorkerEntry worker)
    {
        switch (Chance(60))
        {
            case < 20 when worker.Sent.Count > 0:
                Count(7);
                WorkerDecisions.Started(_table, worker, worker.StartedThrough + 1, _now, _now, _actions);
                WorkerDecisions.Item(worker, worker.StartedThrough);
                break;
            case < 45 when worker.Sent.Count > 0:
                Count(8);
                WorkerDecisions.Answered(_table, worker, Answers(worker), TimeSpan.FromMicroseconds(5), _now, _actions);
                break;
            case 49 or 50:
                Count(9);
                WorkerDecisions.Closing(_table, worker, _now, _actions);
                WorkerDecisions.ChannelEnded(_table, worker, worker.LastCallId - (ulong)Chance(2), _now, _actions);
                break;
            case 51:
                Count(10);
                WorkerDecisions.Violated(_table, worker, worker.StartedThrough, _now, _actions);
                break;
            case 52:
                Count(11);
                WorkerDecisions.Measured(_table, worker, Chance(1100), _now, _actions);
                break;
            case 53 or 54:
                Count(12);
                WorkerDecisions.Ponged(_table, worker, _now, _actions);
                break;
        }
    }

    private void HappenToAll()
    {
        switch (Chance(40))
        {
            case 0:
                Count(13);
                PoolDecisions.Renew(_table, _now, _actions);
                break;
            case 1:
                Count(14);
                PoolDecisions.Shrink(_table, 1, _now, _actions);
                break;
            default:
                Count(15);
                PoolDecisions.Tick(_table, _now, _actions);
                break;
        }
    }

    private void Obey()
    {
        for (var i = 0; i < _actions.Count; i++)
        {
            var (kind, worker, _, first) = _actions[i];
            if (kind == PoolActionKind.Withdraw)
            {
                WorkerDecisions.Withdrawn(_table, worker!, first, worker!.LastCallId, _now, _actions);
            }
            else if (kind == PoolActionKind.Kill && worker!.State == WorkerState.Starting)
            {
                WorkerDecisions.StartFailed(_table, worker, isDefinite: false, _now, _actions);
            }
            else if (kind == PoolActionKind.Kill)
            {
                WorkerDecisions.ChannelEnded(_table, worker!, worker!.StartedThrough, _now, _actions);
            }
        }
    }

    private Span<Answer> Answers(WorkerEntry worker)
    {
        var count = 0;
        var most = 1 + Chance(4);
        for (var call = worker.Sent.First; call is not null && count < most; call = call.Next)
        {
            _answers[count++] = new Answer(call.CallId);
        }

        return _answers.AsSpan(0, count);
    }

    // One of the objects that were created before, of the right place.
    private WorkerEntry Fresh(int index)
    {
        while (_fresh[_used].Index != index)
        {
            _used++;
        }

        return _fresh[_used++];
    }

    private void Count(int kind) => _kinds[kind]++;

    private int Chance(int below)
    {
        _chance = unchecked((_chance * 6364136223846793005) + 1442695040888963407);
        return (int)((_chance >> 33) % (ulong)below);
    }
}
