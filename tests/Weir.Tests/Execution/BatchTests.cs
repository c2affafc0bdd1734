using Weir.Runtime;
using Weir.Tests.Contract;

namespace Weir.Tests.Execution;

/// <summary>The calls of a batch, completed by the test.</summary>
public sealed class BatchTests
{
    private readonly Client _client = new(new ManualCalls());

    private ManualCalls Calls => (ManualCalls)_client.Invoker;

    [Fact]
    public async Task Results_come_in_the_order_in_which_the_calls_complete()
    {
        var results = Batch.Of(_client, [10, 11, 12], static (client, item) => client.Number(item)).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = results.MoveNextAsync();
        Assert.Equal(3, Calls.Made.Count);
        Calls.End(2, 112);
        Assert.True(await first);
        Assert.Equal((2, 112), (results.Current.Index, results.Current.Result));
        var second = results.MoveNextAsync();
        Assert.False(second.IsCompleted);
        Calls.End(0, 110);
        Assert.True(await second);
        Assert.Equal((0, 110), (results.Current.Index, results.Current.Result));
        var last = results.MoveNextAsync();
        Assert.False(last.IsCompleted);
        Calls.End(1, 111);
        Assert.True(await last);
        Assert.Equal((1, 111), (results.Current.Index, results.Current.Result));
        Assert.False(await results.MoveNextAsync());
        await results.DisposeAsync();
    }

    [Fact]
    public async Task A_failure_affects_its_own_call_only()
    {
        var results = Batch.Of(_client, [1, -1, 3], static (client, item) => item < 0 ? throw new ArgumentException("negative") : client.Number(item));
        await using var enumerator = results.GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = enumerator.MoveNextAsync();
        Assert.True(await first);
        Assert.Equal(1, enumerator.Current.Index);
        Assert.IsType<ArgumentException>(enumerator.Current.Failure);
        Assert.Throws<ArgumentException>(() => enumerator.Current.Result);

        var second = enumerator.MoveNextAsync();
        Calls.Made[1].End(new FormatException("broken"));
        Assert.True(await second);
        Assert.Equal((2, "broken"), (enumerator.Current.Index, enumerator.Current.Failure!.Message));

        Calls.End(0, 7);
        Assert.True(await enumerator.MoveNextAsync());
        Assert.Equal(7, enumerator.Current.Result);
        Assert.False(await enumerator.MoveNextAsync());
    }

    [Fact]
    public async Task No_more_calls_than_the_window_run_and_the_others_start_as_results_are_taken()
    {
        const int Count = 1000;
        var results = Batch.Of(_client, Enumerable.Range(0, Count).ToArray(), static (client, item) => client.Number(item)).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var seen = new HashSet<int>();
        var moving = results.MoveNextAsync();
        Assert.Equal(512, Calls.Made.Count);
        for (var ended = 0; ended < Count; ended++)
        {
            Calls.End(ended, ended);
            Assert.True(await moving);
            Assert.Equal(results.Current.Index, results.Current.Result);
            Assert.True(seen.Add(results.Current.Index));
            Assert.InRange(Calls.Made.Count - seen.Count, 0, 512);
            moving = results.MoveNextAsync();
        }

        Assert.False(await moving);
        Assert.Equal(Count, seen.Count);
    }

    [Fact]
    public async Task Ending_the_enumeration_early_cancels_running_calls_and_waits_for_them()
    {
        var results = Batch.Of(_client, [1, 2, 3], static (client, item) => client.Number(item)).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = results.MoveNextAsync();
        Calls.End(1, 5);
        Assert.True(await first);
        Assert.All(Calls.Tokens, static token => Assert.False(token.IsCancellationRequested));

        var stopping = results.DisposeAsync();
        Assert.False(stopping.IsCompleted);
        Assert.All(Calls.Tokens, static token => Assert.True(token.IsCancellationRequested));
        Calls.Made[0].End(new OperationCanceledException());
        Calls.Made[2].End(new OperationCanceledException());
        await stopping;
    }

    [Fact]
    public async Task A_cancelled_token_ends_the_enumeration_after_the_running_calls()
    {
        using var leaving = new CancellationTokenSource();
        var results = Batch.Of(_client, [1, 2], static (client, item) => client.Number(item), leaving.Token).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = results.MoveNextAsync();
        Calls.End(0, 5);
        Assert.True(await first);
        await leaving.CancelAsync();
        var second = results.MoveNextAsync();
        Assert.False(second.IsCompleted);
        Calls.Made[1].End(new OperationCanceledException());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await second);
        await results.DisposeAsync();
    }

    [Fact]
    public async Task Disposal_waits_for_all_calls_even_if_a_callback_of_the_token_throws()
    {
        var results = Batch.Of(_client, [1, 2], static (client, item) => client.Number(item)).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = results.MoveNextAsync();
        Calls.End(0, 5);
        Assert.True(await first);
        var hasThrown = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var registration = Calls.Tokens[1].Register(() =>
        {
            hasThrown.SetResult();
            throw new InvalidOperationException("of a listener");
        });

        var leaving = results.DisposeAsync().AsTask();
        await hasThrown.Task;
        for (var i = 0; i < 1000 && !leaving.IsCompleted; i++)
        {
            await Task.Yield();
        }

        Assert.False(leaving.IsCompleted);
        Calls.Made[1].End(new OperationCanceledException());

        var failure = await Assert.ThrowsAsync<AggregateException>(() => leaving);
        Assert.Equal("of a listener", failure.InnerException!.Message);
    }

    [Fact]
    public async Task A_call_with_its_own_token_keeps_it_and_the_batch_uses_the_callers_token()
    {
        using var caller = new CancellationTokenSource();
        using var own = new CancellationTokenSource();
        var tokens = new[] { caller.Token, own.Token, CancellationToken.None };
        var results = Batch.Of(_client, tokens, static (client, token) => client.Number(1, token), caller.Token).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = results.MoveNextAsync();
        Assert.Equal(own.Token, Calls.Tokens[1]);
        Assert.Equal(Calls.Tokens[0], Calls.Tokens[2]);
        await caller.CancelAsync();
        Assert.Equal([true, false, true], Calls.Tokens.Select(static token => token.IsCancellationRequested));
        Calls.End(0, 1);
        Assert.True(await first);
    }

    [Fact]
    public async Task The_result_of_a_lambda_is_the_result_of_the_call()
    {
        var results = Batch.Of(_client, [1], static async (client, item) => $"<{await client.Number(item)}>").GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = results.MoveNextAsync();
        Calls.End(0, 8);
        Assert.True(await first);
        Assert.Equal("<8>", results.Current.Result);
    }

    [Fact]
    public async Task Calls_without_a_result_complete_and_fail_like_others()
    {
        var results = Batch.Of(_client, [1, 2], static async (client, item) =>
        {
            await client.Number(item);
        }).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var first = results.MoveNextAsync();
        Calls.Made[1].End(new FormatException("broken"));
        Assert.True(await first);
        Assert.Equal((1, "broken"), (results.Current.Index, results.Current.Failure!.Message));

        var second = results.MoveNextAsync();
        Calls.End(0, 7);
        Assert.True(await second);
        Assert.Equal((0, null), (results.Current.Index, results.Current.Failure));
        Assert.False(await results.MoveNextAsync());
    }

    [Fact]
    public async Task A_batch_is_enumerated_once()
    {
        var results = Batch.Of(_client, Array.Empty<int>(), static (client, item) => client.Number(item));
        Assert.Empty(await results.ToListAsync(TestContext.Current.CancellationToken));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await results.ToListAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task A_test_double_of_a_client_works_too()
    {
        var sums = new List<int>();
        await foreach (var one in Batch.Of("double", [1, 2, 3], static (text, item) => ValueTask.FromResult(text.Length + item)))
        {
            sums.Add(one.Result);
        }

        Assert.Equal([7, 8, 9], sums);
    }

    [Fact]
    public async Task Calls_that_complete_on_many_threads_at_once_are_each_seen_once()
    {
        const int Count = 5000;
        var client = new Client(new ScatteredCalls());
        var seen = new HashSet<int>();
        await foreach (var one in Batch.Of(client, Enumerable.Range(0, Count).ToArray(), static (client, item) => client.Number(item)))
        {
            Assert.Equal(one.Index, one.Result);
            Assert.True(seen.Add(one.Index));
        }

        Assert.Equal(Count, seen.Count);
    }

    /// <summary>The code that the generator writes for an operation <c>int Number(int)</c>.</summary>
    private sealed class Client(CallInvoker invoker) : IProxy
    {
        private readonly Operation _operation = NumberCall.NewOperation();

        public CallInvoker Invoker => invoker;

        public object Over(CallInvoker invoker) => new Client(invoker);

        public ValueTask<int> Number(int argument, CancellationToken cancellationToken = default)
        {
            var call = (NumberCall)_operation.RentCall();
            call.Argument = argument;
            return invoker.InvokeAsync(call, cancellationToken);
        }
    }

    private class ManualCalls : CallInvoker
    {
        public List<NumberCall> Made { get; } = [];

        public List<CancellationToken> Tokens { get; } = [];

        public void End(int index, int result)
        {
            Made[index].Value = result;
            Made[index].End();
        }

        public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
        {
            Made.Add((NumberCall)call);
            Tokens.Add(cancellationToken);
            return call.WhenEnded;
        }

        public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken) => throw new NotSupportedException();
    }

    private sealed class ScatteredCalls : ManualCalls
    {
        public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
        {
            var number = (NumberCall)call;
            ThreadPool.UnsafeQueueUserWorkItem(
                static number =>
                {
                    number.Value = (int)number.Argument!;
                    number.End();
                },
                number,
                preferLocal: false);
            return call.WhenEnded;
        }
    }
}
