using System.Globalization;
using Weir.Execution.Pools.Scheduling;
using Weir.Runtime;
using Weir.Tests.Architecture;

namespace Weir.Tests.Processes;

/// <summary>The tables of arriving calls and of retries in <c>docs/pool-in-ten-minutes.md</c> say what the code does, cell by cell.</summary>
public sealed class PoolPageCallTests
{
    private static readonly string[][] Arrivals = Read("| `Admission` | no worker yet");
    private static readonly string[][] Losses = Read("| `Retries` | the first dies");

    // By the number of the column.
    private static readonly Action<PoolSetup>[] Pools =
    [
        static _ => { },
        static pool =>
        {
            pool.Leave(pool.Call());
            Assert.True(pool.Ready(0));
        },
        static pool =>
        {
            pool.Call();
            Assert.True(pool.Ready(0));
        },
        static pool =>
        {
            pool.Call();
            Assert.True(pool.Ready(0));
            pool.Call();
        },
        static pool => pool.Drain(),
    ];

    public static TheoryData<int, int> Cells { get; } = new(
        from row in Enumerable.Range(0, Arrivals.Length)
        from column in Enumerable.Range(0, Pools.Length)
        select (row, column));

    public static TheoryData<int> Rows { get; } = new(Enumerable.Range(0, Losses.Length));

    [Fact]
    public void The_table_has_every_admission() =>
        Assert.Equal(Enum.GetValues<CallAdmission>(), Arrivals.Select(static row => Enum.Parse<CallAdmission>(row[0].Split('`')[1])));

    [Theory]
    [MemberData(nameof(Cells))]
    public void A_cell_states_what_becomes_of_a_call_that_arrives(int row, int column)
    {
        var pool = new PoolSetup(max: 1, queue: 1);
        Pools[column](pool);
        var call = pool.Call(with: call => call.Admission = (CallAdmission)row);
        Assert.Equal(Arrivals[row][column + 1], Outcome(pool, call));
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public void A_row_states_how_often_a_call_is_run_again(int row)
    {
        int? retries = int.TryParse(Losses[row][0], CultureInfo.InvariantCulture, out var number) ? number : null;
        Assert.True(retries is not null || Losses[row][0] == "none");
        var pool = new PoolSetup(max: 1, with: static settings => settings with { QuarantineKills = 0, MostRetries = 2 });
        var call = pool.Call(with: call => (call.IsIdempotent, call.Retries) = (true, retries));
        foreach (var expected in Losses[row].Skip(1).TakeWhile(static cell => cell.Length > 0))
        {
            Assert.Equal(CallState.Queued, call.State);
            Assert.True(pool.Ready(0));
            pool.Started(0);
            pool.ChannelEnded(0);
            pool.Reaped(0);
            Assert.Equal(expected, Outcome(pool, call));
        }

        Assert.Equal(CallState.Ended, call.State);
    }

    private static string Outcome(PoolSetup pool, CallEntry call) => call.State == CallState.Ended
        ? $"`{pool.Last.Single(action => action.IsOutcome && action.Call == call).Kind}`"
        : $"→ `{call.State}`";

    private static string[][] Read(string head) =>
    [
        .. Repository.Read("docs/pool-in-ten-minutes.md").Split('\n').SkipWhile(line => !line.StartsWith(head, StringComparison.Ordinal)).Skip(2)
            .TakeWhile(static line => line.StartsWith('|')).Select(static line => line.Split('|')[1..^1].Select(static cell => cell.Trim()).ToArray()),
    ];
}
