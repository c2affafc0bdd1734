using System.ComponentModel.DataAnnotations;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>The items that an operation gets from a streamed request.</summary>
public sealed class ReceivedItemsTests
{
    private readonly ManualItems _arriving = new();

    [Fact]
    public async Task Items_are_read_on_demand()
    {
        await using var items = Receive().GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.Equal(0, _arriving.Asked);

        var first = items.MoveNextAsync();
        _arriving.Arrive("1");
        Assert.True(await first);
        Assert.Equal(1, items.Current);
        Assert.Equal(1, _arriving.Asked);

        var end = items.MoveNextAsync();
        _arriving.End();
        Assert.False(await end);
    }

    [Fact]
    public void Items_are_enumerated_once()
    {
        var items = Receive();
        items.GetAsyncEnumerator(TestContext.Current.CancellationToken);

        var error = Assert.Throws<InvalidOperationException>(() => items.GetAsyncEnumerator(TestContext.Current.CancellationToken));
        Assert.Contains("'numbers' can be enumerated only once", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("\"1\"", "invalid")]
    [InlineData("null", "null")]
    [InlineData("", "malformed")]
    [InlineData("1 2", "malformed")]
    [InlineData("-", "malformed")]
    public async Task An_item_that_cannot_be_read_ends_the_stream(string json, string reason)
    {
        await using var items = Receive().GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var moving = items.MoveNextAsync();
        _arriving.Arrive("5");
        await moving;
        moving = items.MoveNextAsync();
        _arriving.Arrive(json);

        var error = await Assert.ThrowsAsync<BindingException>(async () => await moving);
        Assert.Equal(("numbers[1]", "body", reason), (error.Errors[0].Name, error.Errors[0].Source, error.Errors[0].Reason));
        Assert.Same(error, await Assert.ThrowsAsync<BindingException>(async () => await items.MoveNextAsync()));
        Assert.Equal(2, _arriving.Asked);
    }

    [Theory]
    [InlineData(typeof(ArgumentNullException), true)]
    [InlineData(typeof(FormatException), true)]
    [InlineData(typeof(OverflowException), true)]
    [InlineData(typeof(ValidationException), true)]
    [InlineData(typeof(InvalidOperationException), false)]
    [InlineData(typeof(InvalidCastException), false)]
    public async Task An_item_that_its_type_rejects_is_invalid(Type thrown, bool isRefusal)
    {
        await using var items = new PickyItems(thrown).Receive(_arriving, "numbers").GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var moving = items.MoveNextAsync();
        _arriving.Arrive("5");
        var error = await Assert.ThrowsAnyAsync<Exception>(async () => await moving);
        Assert.Equal(isRefusal ? "numbers[0] (body): invalid, expected a value that its type accepts" : thrown.Name, error is BindingException binding ? Assert.Single(binding.Errors).ToString() : error.GetType().Name);
    }

    [Fact]
    public async Task A_failure_of_the_sender_fails_the_items()
    {
        await using var items = Receive().GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var moving = items.MoveNextAsync();
        var broken = new IOException("broken");
        _arriving.Fail(broken);

        Assert.Same(broken, await Assert.ThrowsAsync<IOException>(async () => await moving));
        Assert.Same(broken, await Assert.ThrowsAsync<IOException>(async () => await items.MoveNextAsync()));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Either_token_cancels_the_wait_and_is_not_a_failure(bool isTheCalls)
    {
        using var call = new CancellationTokenSource();
        using var own = new CancellationTokenSource();
        var sum = (SumCall)SumCall.NewOperation().RentCall();
        sum.TakeItems(_arriving);
        var running = sum.InvokeAsync(new SumCall.Method((items, _) => SumAsync(items, own.Token)), call.Token);
        await (isTheCalls ? call : own).CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await running);
        Assert.Equal(1, _arriving.Stopped);
    }

    [Fact]
    public async Task Ending_the_enumeration_early_stops_the_sender_once()
    {
        var items = Receive().GetAsyncEnumerator(TestContext.Current.CancellationToken);
        var moving = items.MoveNextAsync();
        _arriving.Arrive("1");
        await moving;
        await items.DisposeAsync();
        await items.DisposeAsync();

        Assert.Equal(1, _arriving.Stopped);
        Assert.False(await items.MoveNextAsync());
    }

    [Fact]
    public async Task Sent_items_are_not_enumerated_before_the_first_is_requested()
    {
        var begun = false;
        var source = NumberItems.Instance.Send(Numbers(), TestContext.Current.CancellationToken);
        Assert.False(begun);
        await source.DisposeAsync();
        Assert.False(begun);

        source = NumberItems.Instance.Send(Numbers(), TestContext.Current.CancellationToken);
        Assert.True(await source.MoveNextAsync());
        using var output = new PayloadWriter();
        source.WriteCurrent(output);
        Assert.Equal("7"u8.ToArray(), output.WrittenSpan.ToArray());
        Assert.Equal(ResultEncoding.Json, source.CurrentEncoding);
        await source.DisposeAsync();

        async IAsyncEnumerable<int> Numbers()
        {
            begun = true;
            await Task.CompletedTask;
            yield return 7;
        }
    }

    [Fact]
    public void A_caller_without_items_gets_an_error_that_says_so() =>
        Assert.Throws<ArgumentNullException>(() => NumberItems.Instance.Send(null!, TestContext.Current.CancellationToken));

    [Fact]
    public void Operations_without_a_streamed_request_take_no_items()
    {
        var call = NumberCall.NewOperation().RentCall();
        Assert.False(call.Operation.StreamsRequest);
        Assert.Throws<InvalidOperationException>(() => call.TakeItems(_arriving));
        Assert.Throws<InvalidOperationException>(() => call.OpenItems(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task The_callers_own_items_are_passed_through_unchanged()
    {
        var own = Enumerable.Range(1, 4).ToAsyncEnumerable();
        var sum = (SumCall)SumCall.NewOperation().RentCall();
        sum.Numbers = own;
        Assert.Equal("numbers", sum.Operation.ItemsParameter!.Name);
        await sum.InvokeAsync(
            new SumCall.Method((items, token) =>
            {
                Assert.Same(own, items);
                return SumAsync(items, token);
            }),
            TestContext.Current.CancellationToken);
        Assert.Equal(10, sum.Value);
    }

    private static async ValueTask<int> SumAsync(IAsyncEnumerable<int> items, CancellationToken cancellationToken)
    {
        var sum = 0;
        await foreach (var item in items.WithCancellation(cancellationToken))
        {
            sum += item;
        }

        return sum;
    }

    private IAsyncEnumerable<int> Receive() => NumberItems.Instance.Receive(_arriving, "numbers");

    private sealed class PickyItems(Type thrown) : ItemCodec<int>
    {
        public override void Write(PayloadWriter output, int item) => throw new NotSupportedException();

        protected override int Read(ref Utf8JsonReader reader, BindingErrorList errors) => throw (Exception)Activator.CreateInstance(thrown)!;
    }
}
