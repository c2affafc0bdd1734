using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Worker;

public sealed class StopTests
{
    [Fact]
    public void A_call_that_was_cancelled_before_it_was_read_ends_without_running()
    {
        var ran = false;
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) =>
        {
            ran = true;
            return "";
        }));
        host.Cancel(2);
        host.SettleControl();
        host.Call(1, 0);
        host.ExpectResult(1);
        ran = false;
        host.Call(2, 0);
        Assert.Equal(ErrorKind.Cancelled, host.ExpectError(2).Kind);
        Assert.False(ran);
    }

    [Fact]
    public void A_call_that_is_cancelled_while_it_waits_for_another_one_ends_without_running()
    {
        var ran = false;
        using var entered = new Gate();
        var finish = new TaskCompletionSource<string?>();
        using var host = ScriptedHost.Ready(new TestCatalog()
            .Async((_, _) =>
            {
                entered.Open();
                return new(finish.Task);
            })
            .Sync((_, _) =>
            {
                ran = true;
                return "";
            }));
        host.Calls(ScriptedHost.CallOf(1, 0), ScriptedHost.CallOf(2, 1));
        entered.Pass();

        // The data thread has read the second call and waits for the first one to complete.
        Assert.True(SpinWait.SpinUntil(() => (host.DataThread.ThreadState & ThreadState.WaitSleepJoin) != 0, MemoryPipe.Patience));
        host.Cancel(2);
        host.SettleControl();
        finish.SetResult("done");
        Assert.Equal("\"done\"", host.ExpectResult(1).Text);
        Assert.Equal(ErrorKind.Cancelled, host.ExpectError(2).Kind);
        Assert.False(ran);
    }

    [Fact]
    public void A_cancel_far_beyond_every_call_id_is_a_violation()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        host.Cancel(65_536);
        host.SettleControl();
        host.Cancel(65_537);
        Assert.Equal("abort 2", host.End.Wait());
    }

    [Fact]
    public void Cancelling_fires_the_token_of_a_synchronous_call()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, token) =>
        {
            token.WaitHandle.WaitOne(MemoryPipe.Patience);
            token.ThrowIfCancellationRequested();
            return "";
        }));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        host.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
    }

    [Fact]
    public void Cancelling_fires_the_token_of_an_asynchronous_call()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Async(async (_, token) =>
        {
            await new TaskCompletionSource().Task.WaitAsync(token);
            return "";
        }));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        host.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
    }

    [Fact]
    public void A_call_that_finishes_although_it_was_cancelled_has_its_result()
    {
        using var entered = new Gate();
        var finish = new TaskCompletionSource<string?>();
        using var host = ScriptedHost.Ready(new TestCatalog().Async((_, _) =>
        {
            entered.Open();
            return new(finish.Task);
        }));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        entered.Pass();
        host.Cancel(1);
        host.SettleControl();
        finish.SetResult("done");
        Assert.Equal("\"done\"", host.ExpectData(FrameType.Result, 1).Text);
        host.Cancel(1);
        host.SettleControl();
        Assert.False(host.End.HasEnded);
    }

    [Fact]
    public void An_OperationCanceledException_without_a_cancel_is_a_failure()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => throw new OperationCanceledException("of its own")));
        host.Call(1, 0);
        var error = host.ExpectError(1);
        Assert.Equal((ErrorKind.HandlerFailed, "of its own"), (error.Kind, error.Message));
    }

    [Fact]
    public void A_callback_on_the_token_never_runs_on_the_control_thread_and_what_it_throws_is_logged()
    {
        bool? onPool = null;
        using var entered = new Gate();
        using var go = new Gate();
        var finish = new TaskCompletionSource<string?>();
        using var host = ScriptedHost.Ready(new TestCatalog().Async((_, token) =>
        {
            token.Register(() =>
            {
                onPool = Thread.CurrentThread.IsThreadPoolThread;
                go.Pass();
                throw new IOException("callback");
            });
            entered.Open();
            return new(finish.Task);
        }));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        entered.Pass();
        host.Cancel(1);
        host.SettleControl(); // The control thread is free although the callback hangs.
        go.Open();
        var log = LogPayload.Read(host.ExpectControl(FrameType.Log).Payload);
        Assert.Contains("System.IO.IOException: callback", log.Exception);
        Assert.True(onPool);
        finish.SetResult("");
        host.ExpectData(FrameType.Result, 1);
    }

    [Fact]
    public void When_the_deadline_passes_the_token_fires_and_the_call_completes_with_that_outcome()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Async(async (_, token) =>
        {
            await new TaskCompletionSource().Task.WaitAsync(token);
            return "";
        }));
        host.Call(1, 0, remaining: 100);
        host.ExpectData(FrameType.Started, 1);
        host.Time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(ErrorKind.DeadlineExceeded, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
    }

    [Fact]
    public void A_result_after_the_deadline_is_too_late()
    {
        var finish = new TaskCompletionSource<string?>();
        using var host = ScriptedHost.Ready(new TestCatalog().Async((_, _) => new(finish.Task)));
        host.Call(1, 0, remaining: 100);
        host.ExpectData(FrameType.Started, 1);
        host.Time.Advance(TimeSpan.FromMilliseconds(100));
        finish.SetResult("late");
        Assert.Equal(ErrorKind.DeadlineExceeded, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
    }

    [Fact]
    public void A_call_without_time_left_does_not_run()
    {
        var ran = false;
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) =>
        {
            ran = true;
            return "";
        }));
        host.Call(1, 0, remaining: 0);
        Assert.Equal(ErrorKind.DeadlineExceeded, host.ExpectError(1).Kind);
        Assert.False(ran);
    }

    [Fact]
    public void The_operation_sees_its_deadline_and_no_timer_outlives_the_call()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((call, _) => $"{call.Context!.Deadline!.Value.ToUnixTimeMilliseconds()}", usesContext: true));
        host.Call(1, 0, remaining: 1500, encoding: ResultEncoding.Raw);
        Assert.Equal("1500", host.ExpectResult(1).Text);
        host.Call(2, 0, remaining: long.MaxValue); // No deadline, so the operation fails when it reads one.
        Assert.Equal(ErrorKind.HandlerFailed, host.ExpectError(2).Kind);
        Assert.Equal(0, host.Time.ActiveTimers);
    }

    [Fact]
    public void A_ping_is_answered_while_a_synchronous_call_runs()
    {
        using var go = new Gate();
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) =>
        {
            go.Pass();
            return "";
        }));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        host.Control(w => new PingPayload(42).Write(w, FrameType.Ping));
        Assert.Equal(42ul, PingPayload.Read(host.ExpectControl(FrameType.Pong).Payload).Stamp);
        go.Open();
        host.ExpectData(FrameType.Result, 1);
    }
}
