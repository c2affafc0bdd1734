using Weir.Execution.Pools.Scheduling;
using Weir.Tests.Architecture;

namespace Weir.Tests.Processes;

/// <summary>The table of states and events in <c>docs/pool-in-ten-minutes.md</c> says what the code does, cell by cell.</summary>
public sealed class PoolPageTests
{
    private const string NotConcerned = "–";
    private const long SoftLimit = 1000;

    private static readonly (WorkerState[] States, Dictionary<int, string[]> Rows) Table = Read();

    // By the number of the row.
    private static readonly Dictionary<int, Action<PoolSetup>> Events = new()
    {
        [1] = static pool => pool.Call(),
        [2] = static pool => pool.Ready(0),
        [3] = static pool => pool.StartFailed(0),
        [4] = static pool => pool.Answered(0),
        [5] = static pool => pool.Do((now, actions) => WorkerDecisions.Answered(pool.Table, pool[0], new Answer[] { new(99) }, default, now, actions)),
        [6] = static pool =>
        {
            pool.Now += 0.2;
            pool.Tick();
            pool.Withdrawn(0, 1, pool[0].LastCallId);
        },
        [7] = static pool => pool.Ponged(0),
        [8] = static pool => pool.Do((now, actions) => WorkerDecisions.Measured(pool.Table, pool[0], SoftLimit + 1, now, actions)),
        [9] = Renew,
        [10] = static pool =>
        {
            Renew(pool);
            pool.Ready(1);
        },
        [11] = static pool => pool.Do((now, actions) => PoolDecisions.Shrink(pool.Table, 1, now, actions)),
        [12] = static pool => Pass(pool, pool.Table.Settings.IdleTimeout!.Value),
        [13] = static pool =>
        {
            pool.Started(0);
            pool.Leave(pool[0].Sent.First!);
            Pass(pool, pool.Table.Settings.CancelGrace);
        },
        [14] = static pool =>
        {
            Pass(pool, Dispatch.StartPatience);
            Pass(pool, pool.Table.Settings.StallTimeout!.Value);
        },
        [15] = static pool => Pass(pool, Retirement.TimeToExit(pool.Table)),
        [16] = static pool => pool.Drain(),
        [17] = static pool => pool.Abort(),
        [18] = static pool => pool.ChannelEnded(0),
        [19] = static pool => pool.Violated(0),
        [20] = static pool => pool.Reaped(0),
        [21] = static pool => pool.Do((now, actions) => PoolDecisions.Resize(pool.Table, pool.Table.Settings with { MinWorkers = 0, MaxWorkers = 0 }, now, actions)),
    };

    // In these rows a worker has no shared memory: no call is withdrawn from it.
    private static readonly int[] WithoutSharedMemory = [13, 14];

    // In these rows the pool keeps a minimum of one worker: a worker that must be replaced does not retire before its replacement.
    private static readonly int[] WithMinimum = [9, 10];

    public static TheoryData<int, int> Cells { get; } = new(
        from row in Table.Rows
        from state in Enumerable.Range(0, Table.States.Length)
        where row.Value[state] != NotConcerned
        select (row.Key, state));

    [Fact]
    public void The_table_has_every_state_and_an_event_for_each_row()
    {
        Assert.Equal(Enum.GetValues<WorkerState>(), Table.States);
        Assert.Equal(Events.Keys, Table.Rows.Keys);
        Assert.All(Table.Rows.Values, static row => Assert.Equal(Enum.GetValues<WorkerState>().Length, row.Length));
    }

    [Theory]
    [MemberData(nameof(Cells))]
    public void A_cell_states_the_next_state_of_the_worker(int row, int state)
    {
        var before = Table.States[state];
        var pool = InState(before, row);
        var worker = pool[0];
        Assert.Equal(before, worker.State);

        Events[row](pool);

        Assert.Equal(Table.Rows[row][state], Outcome(worker, before, pool[0]));
    }

    // The state after a kill or an exit is that of the same entry; after the reaping it is that of the entry that replaces it.
    private static string Outcome(WorkerEntry worker, WorkerState before, WorkerEntry now)
    {
        var state = worker == now ? worker.State : now.State;
        string[] parts =
        [
            .. state == before ? Array.Empty<string>() : [$"→ {state}"],
            .. worker.Killed == KillReason.None ? Array.Empty<string>() : ["kill"],
            .. worker.Due == RetirementReason.None || state is WorkerState.Retiring or WorkerState.Finishing ? Array.Empty<string>() : ["due"],
            .. worker.IsMute ? ["start fails"] : Array.Empty<string>(),
        ];
        return string.Join(", ", parts);
    }

    private static PoolSetup InState(WorkerState state, int row)
    {
        var pool = new PoolSetup(min: WithMinimum.Contains(row) && state != WorkerState.Absent ? 1 : 0, with: static settings => settings with { SoftMemoryBytes = SoftLimit })
        {
            HaveSharedMemory = !WithoutSharedMemory.Contains(row) || state == WorkerState.Silent,
        };
        if (state == WorkerState.Absent)
        {
            return pool;
        }

        // A call requests the worker if the minimum does not.
        if (pool[0].State == WorkerState.Absent)
        {
            pool.Leave(pool.Call());
        }

        if (state == WorkerState.Starting)
        {
            return pool;
        }

        Assert.True(pool.Ready(0));
        var call = state is WorkerState.Busy or WorkerState.Finishing or WorkerState.Silent ? pool.Call() : null;
        switch (state)
        {
            case WorkerState.Finishing or WorkerState.Retiring:
                Events[8](pool);
                break;
            case WorkerState.Silent:
                Events[6](pool);
                pool.Leave(call!);
                break;
            case WorkerState.Exiting:
                pool.ChannelEnded(0);
                break;
        }

        return pool;
    }

    private static void Renew(PoolSetup pool) => pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));

    private static void Pass(PoolSetup pool, TimeSpan time)
    {
        pool.Now += time.TotalSeconds;
        pool.Tick();
    }

    private static (WorkerState[] States, Dictionary<int, string[]> Rows) Read()
    {
        var lines = Repository.Read("docs/pool-in-ten-minutes.md").Split('\n').SkipWhile(static line => !line.StartsWith("| Event | Absent |", StringComparison.Ordinal)).TakeWhile(static line => line.StartsWith('|')).ToArray();
        var cells = lines.Select(static line => line.Split('|')[1..^1].Select(static cell => cell.Trim()).ToArray()).ToArray();
        return (
            [.. cells[0].Skip(1).Select(static name => Enum.Parse<WorkerState>(name))],
            cells.Skip(2).ToDictionary(static row => int.Parse(row[0].Split('.')[0], System.Globalization.CultureInfo.InvariantCulture), static row => row[1..]));
    }
}
