using System.Text;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Worker;

/// <summary>Streamed requests between a host that the test simulates and a worker.</summary>
public sealed class RequestStreamTests
{
    private const uint Window = 256 * 1024;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Items_reach_the_operation_until_their_end(bool blocks)
    {
        string? ranOn = null;
        using var host = Start((numbers, token) =>
        {
            ranOn = Thread.CurrentThread.Name;
            return SumAsync(numbers, token);
        }, blocks);
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        ExpectGrant(host, 1, Window);
        Send(host, 1, "1", "2");
        Send(host, 1, "39");
        host.Data(static w => w.Append(FrameType.End, 1));
        Assert.Equal("\"42\"", host.ExpectData(FrameType.Result, 1).Text);
        Assert.Equal(blocks, ranOn == "weir-call-1");
    }

    [Fact]
    public void No_credit_is_granted_before_an_item_is_requested_and_no_more_than_was_taken()
    {
        using var go = new Gate();
        using var host = Start((numbers, token) =>
        {
            go.Pass();
            return SumAsync(numbers, token);
        });
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        host.SettleControl();
        go.Open();
        ExpectGrant(host, 1, Window);

        // A quarter of the window is granted at a time: the second of these items exceeds it.
        var large = "1".PadRight(60_000);
        Send(host, 1, large, large, "1");
        ExpectGrant(host, 1, 2 * (uint)ItemCredit.CostOf(60_000));
        host.Data(static w => w.Append(FrameType.End, 1));
        Assert.Equal("\"3\"", host.ExpectData(FrameType.Result, 1).Text);
    }

    [Fact]
    public void An_operation_that_requests_no_item_grants_no_credit()
    {
        using var host = Start(static (_, _) => new ValueTask<string?>("none"));
        host.Call(1, 0);
        Assert.Equal("\"none\"", host.ExpectResult(1).Text);
    }

    [Fact]
    public void Items_sent_before_the_failure_are_taken_and_then_the_call_is_abandoned()
    {
        var sum = 0;
        using var host = Start(async (numbers, token) =>
        {
            await foreach (var number in numbers.WithCancellation(token))
            {
                sum += number;
            }

            return "";
        });
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        ExpectGrant(host, 1, Window);
        Send(host, 1, "1", "2");
        host.Data(static w => new AbortPayload(AbortReason.CallerFailed, "no more").Write(w, 1));
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
        Assert.Equal(3, sum);
    }

    [Fact]
    public void An_exception_that_the_operation_throws_instead_is_its_own_failure()
    {
        using var host = Start(static async (numbers, token) =>
        {
            try
            {
                return await SumAsync(numbers, token);
            }
            catch (IOException failure)
            {
                throw new InvalidOperationException(failure.Message);
            }
        });
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        ExpectGrant(host, 1, Window);
        host.Data(static w => new AbortPayload(AbortReason.CallerFailed, "no more").Write(w, 1));
        var error = ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload);
        Assert.Equal((ErrorKind.HandlerFailed, "The caller's items ended early: no more"), (error.Kind, error.Message));
    }

    [Fact]
    public void An_item_that_cannot_be_read_is_a_binding_error_with_its_index()
    {
        using var host = Start(SumAsync);
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        ExpectGrant(host, 1, Window);
        Send(host, 1, "1", "\"two\"");
        var error = ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload);
        Assert.Equal((ErrorKind.BadArguments, "numbers[1]", "frame"), (error.Kind, error.BindingErrors[0].Name, error.BindingErrors[0].Source));
    }

    [Fact]
    public void A_cancel_ends_the_wait_of_code_that_has_no_token()
    {
        using var host = Start(static (numbers, _) => SumAsync(numbers, CancellationToken.None));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        ExpectGrant(host, 1, Window);
        host.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
    }

    [Fact]
    public void Items_for_a_completed_call_are_dropped_and_no_credit_is_granted_for_them()
    {
        Task<bool>? forgotten = null;
        using var host = Start((numbers, _) =>
        {
            forgotten = numbers.GetAsyncEnumerator(CancellationToken.None).MoveNextAsync().AsTask();
            return new ValueTask<string?>("enough");
        });
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        ExpectGrant(host, 1, Window);
        Assert.Equal("\"enough\"", host.ExpectData(FrameType.Result, 1).Text);
        Send(host, 1, "1", "2".PadRight(100_000));
        host.Data(static w => w.Append(FrameType.End, 1));
        host.Call(2, 0);
        host.ExpectData(FrameType.Started, 2);
        ExpectGrant(host, 2, Window);
        host.ExpectData(FrameType.Result, 2);
        Assert.True(((IAsyncResult)forgotten!).AsyncWaitHandle.WaitOne(MemoryPipe.Patience));
        Assert.IsType<InvalidOperationException>(forgotten.Exception!.InnerException);
    }

    [Theory]
    [InlineData("no credit")]
    [InlineData("behind the end")]
    [InlineData("other call")]
    [InlineData("unknown call")]
    public void Items_that_are_not_allowed_are_a_violation(string how)
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog()
                .Items(static async (numbers, token) =>
                {
                    // Requests one item and never requests the next.
                    await using var items = numbers.GetAsyncEnumerator(token);
                    await items.MoveNextAsync();
                    return await NeverAsync(token);
                })
                .Async(static (_, token) => NeverAsync(token)),
            Capabilities.RequestStreams);
        host.Call(1, how == "other call" ? 1 : 0);
        host.ExpectData(FrameType.Started, 1);
        if (how != "other call")
        {
            ExpectGrant(host, 1, Window);
        }

        host.DataUp.Stalled = true;
        switch (how)
        {
            case "no credit":
                Send(host, 1, "1".PadRight((int)Window), "2");
                break;
            case "behind the end":
                host.Data(static w =>
                {
                    w.Append(FrameType.End, 1);
                    Write(w, 1, "1");
                });
                break;
            case "other call":
                Send(host, 1, "1");
                break;
            default:
                Send(host, 2, "1");
                break;
        }

        Assert.Equal("abort 2", host.End.Wait());
    }

    [Fact]
    public void A_call_with_items_that_were_not_agreed_on_is_a_violation()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Items(SumAsync));
        host.Call(1, 0);
        Assert.Equal("abort 2", host.End.Wait());
    }

    private static ScriptedHost Start(Func<IAsyncEnumerable<int>, CancellationToken, ValueTask<string?>> run, bool blocks = false) =>
        ScriptedHost.Ready(new TestCatalog().Items(run, blocks), Capabilities.RequestStreams);

    private static async ValueTask<string?> SumAsync(IAsyncEnumerable<int> numbers, CancellationToken cancellationToken)
    {
        var sum = 0;
        await foreach (var number in numbers.WithCancellation(cancellationToken))
        {
            sum += number;
        }

        return $"{sum}";
    }

    private static async ValueTask<string?> NeverAsync(CancellationToken cancellationToken) =>
        await new TaskCompletionSource<string?>().Task.WaitAsync(cancellationToken);

    private static void ExpectGrant(ScriptedHost host, ulong id, uint bytes) =>
        Assert.Equal(bytes, CreditPayload.Read(host.ExpectData(FrameType.Credit, id).Payload).Bytes);

    private static void Send(ScriptedHost host, ulong id, params string[] items) => host.Data(w =>
    {
        foreach (var item in items)
        {
            Write(w, id, item);
        }
    });

    private static void Write(FrameWriter frames, ulong id, string item)
    {
        frames.Begin(FrameType.Item, id);
        frames.Write(Encoding.UTF8.GetBytes(item));
        frames.End();
    }
}
