using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;
using Weir.IntegrationTests.Processes;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Pools;

public class PoolFaultTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData("exit 0", "exit code 0")]
    [InlineData("exit 3", "exit code 3")]
    [InlineData("signal 9", "signal 9 (SIGKILL)")]
    [InlineData("segv", "signal 11 (SIGSEGV)")]
    [InlineData("overflow", "stack overflow (signal 6 (SIGABRT))")]
    [InlineData("throw", "unhandled exception: System.InvalidOperationException (signal 6 (SIGABRT))")]
    [InlineData("half", "signal 9 (SIGKILL)")]
    public async Task A_death_ends_exactly_the_call_that_ran_and_says_how(string script, string cause)
    {
        await using var pool = ScriptedPool.Start(options => options.MaxWorkers = 1);
        var first = pool.DoAsync("first");
        var dying = pool.DoAsync(script);
        var behind = pool.DoAsync("behind");
        Assert.Equal("first", await first);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => dying);
        Assert.Equal(WeirCodes.WorkerLost, failure.Code);
        Assert.Equal(cause, failure.Cause);
        Assert.Contains("Test/Do", failure.Message, StringComparison.Ordinal);
        Assert.Equal("behind", await behind);
    }

    [Fact]
    public async Task A_call_that_had_not_started_runs_in_another_worker()
    {
        var marker = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        try
        {
            await using var pool = ScriptedPool.Start(options => options.MaxWorkers = 1);
            Assert.Equal($"die unstarted {marker}", await pool.DoAsync($"die unstarted {marker}"));
            Assert.True(File.Exists(marker));
        }
        finally
        {
            File.Delete(marker);
        }
    }

    [Theory]
    [InlineData("type", "UnknownType")]
    [InlineData("length", "PayloadTooLong")]
    [InlineData("reserved", "ReservedBits")]
    [InlineData("id", "UnexpectedFrame")]
    [InlineData("twice", "UnexpectedFrame")]
    [InlineData("route", "WrongRoute")]
    [InlineData("value", "UnexpectedFrame")]
    [InlineData("item", "UnexpectedFrame")]
    [InlineData("credit", "UnexpectedFrame")]
    public async Task A_malformed_frame_ends_its_call_and_its_worker_and_no_other(string how, string fault)
    {
        await using var pool = ScriptedPool.Start();
        var neighbour = pool.DoAsync("sleep 300");
        var failure = await Assert.ThrowsAsync<ProtocolViolationException>(() => pool.DoAsync($"malformed {how}"));
        Assert.Contains(fault, failure.Message, StringComparison.Ordinal);
        Assert.Equal("slept", await neighbour);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task An_answer_without_a_started_mark_is_a_violation_and_the_call_is_not_run_again()
    {
        await using var pool = ScriptedPool.Start(options => options.RestartBudget = 100);
        await Assert.ThrowsAsync<ProtocolViolationException>(() => pool.DoAsync("no started"));
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task A_call_at_whose_sight_every_worker_dies_is_given_up_without_having_run()
    {
        await using var pool = ScriptedPool.Start(options => options.RestartBudget = 100);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("die unstarted"));
        Assert.Equal(WeirCodes.WorkerLost, failure.Code);
        Assert.Contains("did not run", failure.Message, StringComparison.Ordinal);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task Workers_that_end_before_their_first_call_exhaust_the_budget_and_fail_their_callers()
    {
        await using var pool = ScriptedPool.Start(options => options.RestartBudget = 1);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("die unstarted"));
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.Contains("before it ran a call", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_whose_data_channel_ended_before_READY_never_gets_a_call()
    {
        await using var pool = ScriptedPool.Start(
            options =>
            {
                options.MaxWorkers = 1;
                options.StartTimeout = TimeSpan.FromSeconds(1);
            },
            "mute");
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("one"));
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.True(await pool.SettlesAsync(now => now.Workers.Count == 0));
    }

    [Fact]
    public async Task A_worker_that_closes_its_channel_and_stays_is_killed()
    {
        await using var pool = ScriptedPool.Start();
        await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("close"));
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task A_caller_that_cancels_continues_at_once_and_a_worker_that_heeds_it_survives()
    {
        await using var pool = ScriptedPool.Start(options => options.MaxWorkers = 1);
        var pid = await pool.DoAsync("pid");
        using var leaving = new CancellationTokenSource();
        var call = pool.DoAsync("until", ScriptedPool.Until(leaving.Token));
        Assert.True(await pool.SettlesAsync(now => now.Workers[0].State == "busy"));
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        Assert.Equal(pid, await pool.DoAsync("pid"));
    }

    [Fact]
    public async Task A_worker_that_ignores_the_cancel_is_killed_with_what_it_started_and_replaced()
    {
        using var started = new SignalFile();
        await using var pool = ScriptedPool.Start(options =>
        {
            options.MaxWorkers = 1;
            options.CancelGrace = TimeSpan.FromMilliseconds(300);
        });
        var grandchild = int.Parse(await pool.DoAsync("grandchild"));
        var stubborn = Assert.Single(pool.Pids);
        using var leaving = new CancellationTokenSource();
        var call = pool.DoAsync($"forever {started.Path}", ScriptedPool.Until(leaving.Token));
        var waiting = pool.DoAsync("pid");
        await started.IsSetAsync();

        var start = TimeProvider.System.GetTimestamp();
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(stubborn), Soon));
        Assert.InRange(TimeProvider.System.GetElapsedTime(start), TimeSpan.FromMilliseconds(290), Soon);
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(grandchild), Soon));
        Assert.NotEqual($"{stubborn}", await waiting);
    }

    [Fact]
    public async Task A_caller_that_cancels_continues_before_a_worker_that_ignores_it_is_killed()
    {
        using var started = new SignalFile();
        await using var pool = ScriptedPool.Start(options => (options.MaxWorkers, options.CancelGrace) = (1, TimeSpan.FromHours(1)));
        using var leaving = new CancellationTokenSource();
        var call = pool.DoAsync($"forever {started.Path}", ScriptedPool.Until(leaving.Token));
        await started.IsSetAsync();
        var stubborn = Assert.Single(pool.Pids);
        try
        {
            await leaving.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
            Assert.True(ProcFiles.IsRunning(stubborn));
        }
        finally
        {
            // It is not waited for.
            await pool.Pool.DrainAsync(new CancellationToken(canceled: true));
        }
    }

    [Fact]
    public async Task A_caller_that_cancels_while_megabytes_are_being_sent_has_its_memory_back_at_once()
    {
        await using var pool = ScriptedPool.Start(options =>
        {
            options.MaxWorkers = 1;
            options.CancelGrace = TimeSpan.FromMilliseconds(200);
        });
        await pool.DoAsync("warm");
        using var blocked = new CancellationTokenSource();

        // The worker sleeps before it reads on; the arguments behind it do not fit into the channel.
        var bytes = new byte[8 << 20];
        "sleep 100"u8.CopyTo(bytes);
        for (var i = 0; i < 20; i++)
        {
            using var leaving = new CancellationTokenSource();
            var call = pool.DoAsync(bytes, ScriptedPool.Until(leaving.Token));
            await leaving.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
            bytes.AsSpan(9).Fill((byte)i);
        }

        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task A_worker_that_never_answers_HELLO_is_killed_and_its_callers_get_the_phase()
    {
        await using var pool = ScriptedPool.Start(options => options.StartTimeout = TimeSpan.FromMilliseconds(500), "silent");
        var start = TimeProvider.System.GetTimestamp();
        var failures = await Task.WhenAll(
            Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("one")),
            Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("two")));
        Assert.InRange(TimeProvider.System.GetElapsedTime(start), TimeSpan.FromMilliseconds(450), Soon);
        Assert.All(failures, failure =>
        {
            Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
            Assert.Contains("'answer HELLO'", failure.Message, StringComparison.Ordinal);
            Assert.Contains("StartTimeout", failure.Message, StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData("failed", "'build services': System.InvalidOperationException: no source of truth")]
    [InlineData("garbage", "broke the protocol")]
    [InlineData("without stream", "does not serve Test/Stream")]
    [InlineData("other signature", "Its signature of Test/Do differs")]
    [InlineData("exit 7", "exit code 7")]
    [InlineData("dead", "it ended itself (FailFast)")]
    public async Task A_start_that_fails_tells_its_callers_where_and_why(string start, string says)
    {
        await using var pool = ScriptedPool.Start(options => options.RestartBudget = 2, start);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("one"));
        Assert.Contains(says, failure.Message, StringComparison.Ordinal);
        Assert.Contains(failure.Code, new[] { WeirCodes.WorkerStartFailed, WeirCodes.CatalogMismatch });

        // Callers get the failure before the log has it.
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Log.Records.Any(record => record.Id.Id == 4302), Soon));
    }

    [Fact]
    public async Task A_pool_whose_workers_cannot_start_stops_trying()
    {
        await using var pool = ScriptedPool.Start(
            options =>
            {
                options.MinWorkers = 1;
                options.MaxWorkers = 1;
            },
            "exit 1");
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Log.Records.Count(record => record.Id.Id == 4302) == 5, Soon));
        await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("one", new CallRequest { Admission = CallAdmission.Wait }));
        Assert.Equal(5, pool.Log.Records.Count(record => record.Id.Id == 4302));
    }

    [Fact]
    public async Task A_program_that_does_not_exist_rejects_its_calls()
    {
        await using var pool = ScriptedPool.Start(program: "/no/such/program");
        var failure = await Assert.ThrowsAsync<CallRejectedException>(() => pool.DoAsync("one"));
        Assert.Equal("WEIR2024", failure.Code);
        Assert.Contains("/no/such/program", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_limit_that_does_not_hold_is_an_error_and_never_a_worker_without_it()
    {
        await using var pool = ScriptedPool.Start(
            options => options.RestartBudget = 1,
            launcher: new LinuxLauncher(static (_, limits, _) => throw new LaunchException(WeirCodes.LimitNotApplied, $"RLIMIT_DATA of {limits.MemoryBytes} was refused.")));
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("one"));
        Assert.Equal(WeirCodes.LimitNotApplied, failure.Code);

        // Its place is free again soon after the call has failed.
        Assert.True(await pool.SettlesAsync(static now => now.Workers.Count == 0));
    }
}
