using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Watching;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>
/// Every kind of worker is killed by SIGKILL at every moment of its life: the call that it runs has the outcome of the table, the calls behind it
/// are answered, the next worker serves, and no process remains.
/// </summary>
public sealed class CrashMatrixTests
{
    private const double Soon = 60;
    private const string Answered = "answered";
    private const string Lost = "lost";
    private const string Cancelled = "cancelled";

    // There is no such moment: without a region a worker hands each result to the kernel at once, whole or cut off.
    private const string? None = null;

    private static readonly string[] Workers = [MatrixPool.Inline, MatrixPool.Pumped, "Node", "Python", "Mono"];

    private static readonly (string Moment, string?[] Endings)[] Table =
    [
        ("at the handshake", [Answered, Answered, Answered, Answered, Answered]),
        ("while it builds services", [Answered, Answered, Answered, Answered, Answered]),
        ("before the start", [Answered, Answered, Answered, Answered, Answered]),
        ("in the middle", [Lost, Lost, Lost, Lost, Lost]),
        ("finished, unsent", [Answered, Answered, None, None, None]),
        ("cut off in its result", [Lost, Lost, Lost, Lost, Lost]),
        ("after the result", [Answered, Answered, Answered, Answered, Answered]),
        ("while idle", [Answered, Answered, Answered, Answered, Answered]),
        ("in the grace", [Cancelled, Cancelled, Cancelled, Cancelled, Cancelled]),
    ];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string, string, string> Cells
    {
        get
        {
            var cells = new TheoryData<string, string, string>();
            foreach (var (moment, endings) in Table)
            {
                for (var i = 0; i < Workers.Length; i++)
                {
                    if (endings[i] is { } ending)
                    {
                        cells.Add(moment, Workers[i], ending);
                    }
                }
            }

            return cells;
        }
    }

    [Theory]
    [MemberData(nameof(Cells))]
    public async Task A_death_at_any_moment_ends_one_call_as_the_table_says_and_no_other(string moment, string worker, string ending)
    {
        var launcher = new WatchedLauncher
        {
            KillsFirst = moment == "at the handshake",
            KillsFirstAt = moment == "while it builds services" ? "building services" : null,
        };
        await using (var pool = new MatrixPool(worker, launcher, lingers: moment == "while it builds services"))
        {
            Assert.Equal(ending, await EndingAsync(moment switch
            {
                "before the start" => DieBeforeTheStartAsync(pool),
                "in the middle" => DieInTheMiddleAsync(pool),
                "finished, unsent" => DieBeforeSendingAsync(pool),
                "cut off in its result" => DieInTheResultAsync(pool),
                "after the result" => DieAfterTheResultAsync(pool),
                "while idle" => DieIdleAsync(pool),
                "in the grace" => DieInTheGraceAsync(pool),
                _ => AddAsync(pool, 1),
            }));

            // The pool continues, in another process.
            await Task.WhenAll(Enumerable.Range(0, 4).Select(i => AddAsync(pool, i))).WithinAsync(Soon);
            Assert.True(launcher.Workers.Count >= 2, "No worker was replaced.");
        }

        Assert.All(launcher.Workers, static one => Assert.Null(ProcFiles.Stat(one.ProcessId)));
    }

    // The CALL lies in the channel of a worker that does not read it.
    private static async Task DieBeforeTheStartAsync(MatrixPool pool)
    {
        var victim = await WarmAsync(pool);
        Signal(victim, Signals.Stop);
        var met = AddAsync(pool, 5);
        await HoldsAsync(() => pool.State == "busy");
        var behind = BehindAsync(pool);
        Signal(victim, Signals.Kill);
        await met;
        await behind;
    }

    private static async Task DieInTheMiddleAsync(MatrixPool pool)
    {
        var victim = await WarmAsync(pool);
        var met = pool.Ignore(600_000, Token).AsTask();
        await HoldsAsync(() => victim.HasStarted(2));
        var behind = BehindAsync(pool);
        Signal(victim, Signals.Kill);
        await behind;
        await met;
    }

    // What the worker finished before the call that kills it is in its region, not on the channel.
    private static async Task DieBeforeSendingAsync(MatrixPool pool)
    {
        const int Calls = 6, Dies = 2;
        var salvaged = 0;
        for (var round = 1; round <= 20 && salvaged == 0; round++)
        {
            // 1. How long these calls take is known; others are sent ahead.
            var first = 1000 * round;
            for (var i = 0; i < 100; i++)
            {
                await foreach (var warm in pool.Survivors!([(i, -1)]).WithCancellation(Token))
                {
                    Assert.Equal(i, warm.Result);
                }
            }

            // 2. Six at once.
            var victim = pool.Launcher.Last;
            var heard = victim.Answers.Received;
            var endings = new Dictionary<int, string>();
            await foreach (var one in pool.Survivors!([.. Enumerable.Range(first, Calls).Select(id => (id, first + Dies))]).WithCancellation(Token))
            {
                endings[one.Index] = await EndingAsync(one.Failure is null ? Task.FromResult(one.Result) : Task.FromException(one.Failure));
            }

            // 3. Exactly one was lost, no matter which results were sent.
            Assert.Equal(Enumerable.Range(0, Calls).Select(static i => i == Dies ? Lost : Answered), Enumerable.Range(0, Calls).Select(i => endings[i]));
            salvaged += victim.Answers.Received == heard ? 1 : 0;
        }

        Assert.True(salvaged > 0, "In twenty rounds every result was sent before its worker died.");
    }

    private static async Task DieInTheResultAsync(MatrixPool pool)
    {
        var victim = await WarmAsync(pool);
        var enough = victim.Answers.Received + 100_000;
        var holding = victim.Answers.HoldAsync(answers => answers.Received >= enough);
        var met = pool.Reverse("", new byte[4 << 20], Token).AsTask();
        await holding.WithinAsync(Soon);
        var behind = BehindAsync(pool);
        Signal(victim, Signals.Kill);
        await victim.Exited.WithinAsync(Soon);
        Assert.False(victim.Answers.HasAnswered(2));
        victim.Answers.Release();
        await behind;
        await met;
    }

    // The host is notified of the worker's exit before it has read the result.
    private static async Task DieAfterTheResultAsync(MatrixPool pool)
    {
        var victim = await WarmAsync(pool);
        var holding = victim.Answers.HoldAsync(static answers => answers.HasAnswered(2));
        var met = AddAsync(pool, 7);
        await holding.WithinAsync(Soon);
        var behind = BehindAsync(pool);
        Signal(victim, Signals.Kill);
        await victim.Exited.WithinAsync(Soon);
        victim.Answers.Release();
        await met;
        await behind;
    }

    private static async Task DieIdleAsync(MatrixPool pool)
    {
        Signal(await WarmAsync(pool), Signals.Kill);
        await AddAsync(pool, 3);
    }

    private static async Task DieInTheGraceAsync(MatrixPool pool)
    {
        var victim = await WarmAsync(pool);
        using var leaving = new CancellationTokenSource();
        var met = pool.Ignore(600_000, leaving.Token).AsTask();
        await HoldsAsync(() => victim.HasStarted(2));
        var behind = BehindAsync(pool);
        await leaving.CancelAsync();
        Signal(victim, Signals.Kill);
        await behind;
        await met;
    }

    private static async Task<WatchedWorker> WarmAsync(MatrixPool pool)
    {
        await AddAsync(pool, 0);
        return pool.Launcher.Last;
    }

    private static Task BehindAsync(MatrixPool pool) => Task.WhenAll(Enumerable.Range(0, 3).Select(i => AddAsync(pool, 100 + i)));

    private static async Task AddAsync(MatrixPool pool, int number) =>
        Assert.Equal(number + 1, await pool.Add(number, 1, Token).AsTask().WithinAsync(Soon));

    private static async Task<string> EndingAsync(Task call)
    {
        try
        {
            await call.WithinAsync(Soon);
            return Answered;
        }
        catch (WorkerLostException lost)
        {
            Assert.Equal((WeirCodes.WorkerLost, "signal 9 (SIGKILL)"), (lost.Code, lost.Cause));
            return Lost;
        }
        catch (OperationCanceledException)
        {
            return Cancelled;
        }
    }

    private static async Task HoldsAsync(Func<bool> holds) => Assert.True(await ProcFiles.EventuallyAsync(holds, TimeSpan.FromSeconds(Soon)));

    private static void Signal(WatchedWorker worker, int signal) => Assert.Equal(0, Signals.Send(worker.ProcessId, signal));
}
