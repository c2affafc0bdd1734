using Weir.Lab.Engine;
using Weir.Tests;

namespace Weir.Lab.Tests.Engine;

public sealed class RoundSchedulerTests
{
    private readonly List<string> _log = [];
    private readonly ManualTime _time = new();

    [Fact]
    public async Task Contenders_alternate_after_a_warm_up_of_their_own()
    {
        await RunAsync(Case(1, New("a"), New("b")));
        Assert.Equal(["a prepares", "b prepares", "a answers", "b answers", "a warms up", "b warms up", "a runs", "b runs", "a ends", "b ends"], _log);
    }

    [Fact]
    public async Task What_is_not_timed_two_do_at_the_same_time()
    {
        var (first, second) = (new TaskCompletionSource(), new TaskCompletionSource());
        var result = await RunAsync(Case(
            1,
            new RecordingContender("a", _log) { OnPrepare = () => Meet(first, second) },
            new RecordingContender("b", _log) { OnPrepare = () => Meet(second, first) }));
        Assert.Equal(["a", "b"], result.Rows.Select(row => row.Contender));
    }

    [Fact]
    public async Task Those_who_only_wait_are_measured_at_the_same_time_and_one_round_after_the_other()
    {
        var (first, second) = (new TaskCompletionSource(), new TaskCompletionSource());
        var result = await RunAsync(Case(
            2,
            new RecordingContender("a", _log) { OnRun = _ => Meet(first, second) },
            new RecordingContender("b", _log) { OnRun = _ => Meet(second, first) }) with
        {
            AtOnce = true,
            WarmUp = false,
        });
        Assert.All(result.Rows, row => Assert.Equal([1, 2], row.Rounds!));
    }

    [Fact]
    public async Task Who_breaks_among_those_who_only_wait_drops_out_and_the_others_go_on()
    {
        var broken = new RecordingContender("a", _log) { OnRun = _ => throw new InvalidOperationException("no more") };
        var result = await RunAsync(Case(2, broken, New("b")) with { AtOnce = true, WarmUp = false });
        Assert.Equal("round 1 of 2: no more", Assert.Single(result.Failed).Reason);
        Assert.Equal([1, 2], Assert.Single(result.Rows).Rounds!);
        Assert.Equal(1, _log.Count(entry => entry == "a runs"));
    }

    [Fact]
    public async Task Every_round_begins_with_the_next_contender()
    {
        await RunAsync(Case(4, New("a"), New("b"), New("c")) with { WarmUp = false });
        Assert.Equal("abc" + "bca" + "cab" + "abc", string.Concat(_log.Where(entry => entry.EndsWith("runs", StringComparison.Ordinal)).Select(entry => entry[0])));
    }

    [Fact]
    public async Task Rows_are_in_the_order_of_the_case() =>
        Assert.Equal(["a", "b", "c"], (await RunAsync(Case(2, New("a"), New("b"), New("c")))).Rows.Select(row => row.Contender));

    [Fact]
    public async Task A_row_is_the_median_of_its_rounds_with_the_lowest_and_the_highest()
    {
        var result = await RunAsync(Case(3, new RecordingContender("a", _log) { Values = [30, 10, 20] }));
        var row = Assert.Single(result.Rows);
        Assert.Equal(new Row("a", "case", "rate", 20, 10, 30, "1/s"), row with { Rounds = null });
        Assert.Equal([30, 10, 20], row.Rounds!);
    }

    [Fact]
    public async Task A_round_without_a_metric_leaves_a_gap()
    {
        var result = await RunAsync(Case(3, new RecordingContender("a", _log) { Also = round => round == 2 ? [] : [new Reading("p50", round, "ms")] }));
        Assert.Equal([1, null, 3], Assert.Single(result.Rows, row => row.Metric == "p50").Rounds!);
    }

    [Fact]
    public async Task Who_answers_differently_is_not_timed()
    {
        var result = await RunAsync(Case(
            1,
            new RecordingContender("a", _log) { Answer = "42" },
            new RecordingContender("b", _log) { Answer = "43" },
            new RecordingContender("c", _log) { Answer = "42" }));

        Assert.Equal(["a", "c"], result.Rows.Select(row => row.Contender));
        var failure = Assert.Single(result.Failed);
        Assert.Equal(("b", "answered '43' where a answered '42'"), (failure.Contender, failure.Reason));
        Assert.DoesNotContain("b runs", _log);
        Assert.Contains("b ends", _log);
    }

    [Fact]
    public async Task Who_breaks_drops_out_and_the_others_go_on()
    {
        var broken = new RecordingContender("a", _log) { OnRun = _ => throw new InvalidOperationException("no more") };
        var result = await RunAsync(Case(3, broken, New("b")));
        Assert.Equal("round 1 of 3: no more", Assert.Single(result.Failed).Reason);
        Assert.Equal(1, _log.Count(entry => entry == "a runs"));
        Assert.Equal(3, _log.Count(entry => entry == "b runs"));
    }

    [Fact]
    public async Task Who_breaks_is_ended_before_the_others_go_on()
    {
        var broken = new RecordingContender("a", _log) { OnRun = _ => throw new InvalidOperationException("no more") };
        await RunAsync(Case(2, broken, New("b")) with { WarmUp = false });
        Assert.Equal(["a runs", "a ends", "b runs", "b runs", "b ends"], _log.Skip(4));
    }

    [Fact]
    public async Task The_rounds_of_who_breaks_later_are_forgotten()
    {
        var rounds = 0;
        var broken = new RecordingContender("a", _log) { OnRun = _ => ++rounds < 3 ? Task.CompletedTask : throw new InvalidOperationException("no more") };
        var result = await RunAsync(Case(3, broken, New("b")));
        Assert.Equal("b", Assert.Single(result.Rows).Contender);
        Assert.Equal("round 3 of 3: no more", Assert.Single(result.Failed).Reason);
    }

    [Fact]
    public async Task Who_cannot_end_is_reported_and_the_others_still_end()
    {
        var result = await RunAsync(Case(1, new RecordingContender("a", _log) { OnEnd = () => throw new IOException("still there") }, New("b")));
        Assert.Equal("ends: still there", Assert.Single(result.Failed).Reason);
        Assert.Equal("b ends", _log[^1]);
    }

    [Fact]
    public async Task Who_cannot_start_is_reported_and_still_ended()
    {
        var result = await RunAsync(Case(1, new RecordingContender("a", _log) { OnPrepare = () => throw new IOException("no such file") }));
        Assert.Equal("starts: no such file", Assert.Single(result.Failed).Reason);
        Assert.Equal(["a prepares", "a ends"], _log);
    }

    [Fact]
    public async Task Who_hangs_is_given_up_after_the_patience_of_the_case()
    {
        var never = new TaskCompletionSource();
        var hanging = new RecordingContender("a", _log) { OnRun = _ => never.Task };
        var run = RunAsync(Case(1, hanging, New("b")) with { WarmUp = false });
        Assert.False(run.IsCompleted);

        var result = await PassingAsync(run);
        Assert.Equal(
            ["round 1 of 1: not done after 120 s", "continues 15 s after it was ended: it may disturb the others"], result.Failed.Select(failure => failure.Reason));
        Assert.Equal("b", Assert.Single(result.Rows).Contender);
    }

    [Fact]
    public async Task The_others_wait_until_who_was_given_up_has_cleaned_up()
    {
        var cleaning = new TaskCompletionSource();
        var slow = new RecordingContender("a", _log)
        {
            OnRun = async token =>
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, _time, token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                await cleaning.Task;
            },
        };
        var run = RunAsync(Case(1, slow, New("b")) with { WarmUp = false });
        _time.Advance(TimeSpan.FromSeconds(120));
        Assert.DoesNotContain("b runs", _log);

        cleaning.SetResult();
        Assert.Equal("round 1 of 1: not done after 120 s", Assert.Single((await run).Failed).Reason);
        Assert.Contains("b runs", _log);
    }

    [Fact]
    public async Task The_users_wish_to_stop_ends_the_run_and_every_contender()
    {
        using var stop = new CancellationTokenSource();
        var stopping = new RecordingContender("a", _log)
        {
            OnRun = async token =>
            {
                await stop.CancelAsync();
                token.ThrowIfCancellationRequested();
            },
        };
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => new RoundScheduler(_time, new SilentObserver()).RunAsync(Case(1, stopping, New("b")), stop.Token));
        Assert.Contains("b ends", _log);
    }

    [Fact]
    public async Task The_absent_are_named_and_not_touched()
    {
        var result = await RunAsync(Case(
            1,
            new AbsentContender("ruby", Availability.Missing("apt-get install ruby")),
            new AbsentContender("weir node", Availability.Later("foreign workers"))));

        Assert.Equal(new Absence("ruby", "apt-get install ruby"), Assert.Single(result.Missing));
        Assert.Equal(new Absence("weir node", "foreign workers"), Assert.Single(result.Later));
        Assert.Empty(result.Failed);
    }

    [Fact]
    public async Task Given_rows_stand_first()
    {
        var given = Row.Fixed("document", "case", "rate", 7, "1/s");
        var result = await RunAsync(Case(1, New("a")) with { Given = [given] });
        Assert.Equal(["document", "a"], result.Rows.Select(row => row.Contender));
    }

    // The clock advances until it is done.
    private async Task<T> PassingAsync<T>(Task<T> run)
    {
        while (!run.IsCompleted)
        {
            _time.Advance(TimeSpan.FromMilliseconds(10));
            await Task.Yield();
        }

        return await run;
    }

    // Each waits for the other, who must not wait for it.
    private static Task Meet(TaskCompletionSource here, TaskCompletionSource there)
    {
        here.TrySetResult();
        return there.Task;
    }

    private RecordingContender New(string name) => new(name, _log);

    private static Case Case(int rounds, params Contender[] contenders) => new("case", contenders) { Rounds = rounds };

    private Task<CaseResult> RunAsync(Case @case) => new RoundScheduler(_time, new SilentObserver()).RunAsync(@case, CancellationToken.None);
}
