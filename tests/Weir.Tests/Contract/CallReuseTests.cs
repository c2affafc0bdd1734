using System.Diagnostics.CodeAnalysis;
using Weir.Runtime;
using Weir.Tests.Execution;

namespace Weir.Tests.Contract;

/// <summary>When the object of a call is reused for another call, and that no caller gets the object of another call.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "Awaiting a task twice is what is tested.")]
public sealed class CallReuseTests
{
    private readonly Operation _operation = NumberCall.NewOperation();
    private readonly ManualInvoker _invoker = new();

    [Fact]
    public async Task A_call_whose_result_was_taken_is_reused_and_keeps_no_state()
    {
        var running = _invoker.Number(_operation, "argument");
        var call = (NumberCall)_invoker.Last!;
        call.SetEncodedResult("7"u8, ResultEncoding.Json);
        call.End();
        Assert.Equal(7, await running);

        Assert.Null(call.Argument);
        Assert.Equal(0, call.Value);
        Assert.Same(call, _operation.RentCall());
    }

    [Fact]
    public void An_encoded_result_is_handed_out_as_it_came_until_it_is_replaced_and_only_in_its_encoding()
    {
        _ = _invoker.Number(_operation, "argument");
        var call = (NumberCall)_invoker.Last!;
        Assert.False(call.TryGetEncodedResult(ResultEncoding.Json, out _));
        call.SetEncodedResult("7"u8, ResultEncoding.Json);
        Assert.True(call.TryGetEncodedResult(ResultEncoding.Json, out var encoded));
        Assert.Equal("7"u8, encoded.Span);
        Assert.False(call.TryGetEncodedResult(ResultEncoding.Raw, out _));
        call.Value = 8;
        Assert.False(call.TryGetEncodedResult(ResultEncoding.Json, out _));
    }

    [Fact]
    public async Task A_second_await_gets_an_error_and_affects_no_other_call()
    {
        var first = _invoker.Number(_operation, "first");
        var call = _invoker.Last!;
        call.End();
        await first;

        var second = _invoker.Number(_operation, "second");
        Assert.Same(call, _invoker.Last);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await first);
        Assert.Throws<InvalidOperationException>(() => first.GetAwaiter().OnCompleted(static () => { }));

        ((NumberCall)call).Value = 2;
        call.End();
        Assert.Equal(2, await second);
    }

    [Fact]
    public async Task Taking_the_result_too_early_is_an_error_and_the_result_can_still_be_taken()
    {
        var running = _invoker.Number(_operation, 1);
        Assert.Throws<InvalidOperationException>(() => running.GetAwaiter().GetResult());
        ((NumberCall)_invoker.Last!).Value = 3;
        _invoker.Last.End();
        Assert.Equal(3, await running);
    }

    [Fact]
    public async Task A_call_that_failed_is_not_reused_and_its_exception_keeps_its_stack()
    {
        var running = _invoker.Number(_operation, 1);
        var call = _invoker.Last!;
        call.End(Thrown());

        var failure = await Assert.ThrowsAsync<FormatException>(async () => await running);
        Assert.Contains(nameof(Thrown), failure.StackTrace, StringComparison.Ordinal);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await running);
        Assert.NotSame(call, _operation.RentCall());

        static FormatException Thrown()
        {
            try
            {
                throw new FormatException();
            }
            catch (FormatException failure)
            {
                return failure;
            }
        }
    }

    [Fact]
    public async Task A_cancelled_call_is_a_cancelled_task()
    {
        var running = _invoker.Number(_operation, 1).AsTask();
        _invoker.Last!.End(new OperationCanceledException());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        Assert.True(running.IsCanceled);
    }

    [Fact]
    public void A_call_that_is_not_awaited_is_not_reused()
    {
        _ = _invoker.Number(_operation, 1);
        var call = _invoker.Last!;
        call.End();
        Assert.NotSame(call, _operation.RentCall());
    }

    [Fact]
    public async Task A_call_whose_context_was_read_is_not_reused()
    {
        var running = _invoker.Number(_operation, 1);
        var call = _invoker.Last!;
        call.Context = new OperationContext(call, NoServices.Instance, CancellationToken.None);
        call.End();
        await running;
        Assert.NotSame(call, _operation.RentCall());
    }

    [Fact]
    public void A_call_is_returned_to_the_pool_once()
    {
        var call = _operation.RentCall();
        call.Return();
        call.Return();
        Assert.Same(call, _operation.RentCall());
        Assert.NotSame(call, _operation.RentCall());
    }

    [Fact]
    public void A_call_that_was_not_rented_is_not_pooled()
    {
        var call = _operation.CreateCall(_operation);
        call.Return();
        Assert.NotSame(call, _operation.RentCall());
    }

    [Fact]
    public void A_second_completion_is_an_error()
    {
        _ = _invoker.Number(_operation, 1);
        _invoker.Last!.End();
        Assert.Throws<InvalidOperationException>(() => _invoker.Last.End());
    }

    [Fact]
    public void No_more_calls_are_kept_than_the_pool_holds()
    {
        var kept = Enumerable.Range(0, 2000).Select(_ => _operation.RentCall()).ToHashSet();
        foreach (var call in kept)
        {
            call.Return();
        }

        var again = Enumerable.Range(0, 2000).Count(_ => kept.Contains(_operation.RentCall()));
        Assert.InRange(again, 1024, 1024 + 64);
    }

    [Fact]
    public async Task The_continuation_of_an_await_runs_on_the_thread_pool_and_not_on_the_completing_thread()
    {
        var running = WaitAsync();
        var call = _invoker.Last!;
        var ending = new Thread(() => call.End());
        ending.Start();
        ending.Join();
        Assert.NotEqual(ending.ManagedThreadId, await running);

        async Task<int> WaitAsync()
        {
            await _invoker.Number(_operation, 1);
            Assert.True(Thread.CurrentThread.IsThreadPoolThread);
            return Environment.CurrentManagedThreadId;
        }
    }

    [Fact]
    public async Task Completions_and_awaits_may_race_and_each_await_gets_its_own_result()
    {
        // One thread completes the call that another awaits: each seed shifts the two threads against each other.
        for (var seed = 0; seed < 20_000; seed++)
        {
            var running = _invoker.Number(_operation, seed);
            var call = (NumberCall)_invoker.Last!;
            var (delay, fails, number) = (seed % 37, seed % 11 == 0, seed);
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    Thread.SpinWait(delay);
                    call.Value = number;
                    call.End(fails ? new FormatException($"{number}") : null);
                },
                null);
            Thread.SpinWait(seed % 41);
            try
            {
                Assert.Equal(seed, await running);
                Assert.False(fails);
            }
            catch (FormatException failure)
            {
                Assert.Equal($"{seed}", failure.Message);
            }

            await Assert.ThrowsAsync<InvalidOperationException>(async () => await running);
        }
    }
}
