using Weir.Execution.Threading;

namespace Weir.Tests.Execution;

/// <summary>An exception of a callback reaches its owner, and nothing else.</summary>
public class CallbacksTests
{
    private static readonly InvalidOperationException Failure = new("no");

    private readonly TaskCompletionSource<Exception> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Fact]
    public async Task An_exception_of_queued_work_is_passed_to_its_owner()
    {
        Callbacks.Queue(this, static _ => throw Failure, static (test, failure) => test._failed.SetResult(failure));
        Assert.Same(Failure, await _failed.Task);
    }

    [Fact]
    public async Task Work_that_is_its_own_callback_is_guarded_too()
    {
        Callbacks.Queue(new FailingWork(_failed));
        Assert.Same(Failure, await _failed.Task);
    }

    [Fact]
    public async Task An_exception_of_a_timer_is_passed_to_its_owner()
    {
        var time = new ManualTime();
        await using var timer = Callbacks.CreateTimer(time, this, static _ => throw Failure, static (test, failure) => test._failed.SetResult(failure));
        timer.Change(TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan);
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Same(Failure, await _failed.Task);
    }

    [Fact]
    public async Task Cancelling_a_token_does_not_throw_the_exception_of_a_callback()
    {
        using var source = new CancellationTokenSource();
        Callbacks.Register(this, static _ => throw Failure, static (test, failure) => test._failed.SetResult(failure), source.Token);
        await source.CancelAsync();
        Assert.Same(Failure, await _failed.Task);
    }

    [Fact]
    public async Task A_thread_that_throws_notifies_its_owner_and_ends()
    {
        var thread = Callbacks.CreateThread("test", this, static _ => throw Failure, static (test, failure) => test._failed.SetResult(failure));
        thread.UnsafeStart();
        Assert.Same(Failure, await _failed.Task);
        thread.Join();
    }

    [Fact]
    public void A_handler_that_throws_too_does_not_end_the_process() => Callbacks.Run(this, static _ => throw Failure, static (_, _) => throw new InvalidOperationException("The handler fails too."));

    private sealed class FailingWork(TaskCompletionSource<Exception> failed) : IWorkItem
    {
        public void Run() => throw Failure;

        public void OnFailed(Exception failure) => failed.SetResult(failure);
    }
}
