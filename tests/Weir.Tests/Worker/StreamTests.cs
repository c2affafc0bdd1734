using System.Runtime.CompilerServices;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Worker;

public sealed class StreamTests
{
    private static readonly uint One = (uint)ItemCredit.CostOf(1);

    public static TheoryData<bool> Producers => [false, true];

    private static ScriptedHost Start(bool blocking, Func<int, bool>? before = null, Action? disposed = null) =>
        ScriptedHost.Ready(blocking ? new TestCatalog().Blocking(_ => Numbers(before, disposed)) : new TestCatalog().Stream(token => NumbersAsync(before, disposed, token)));

    [Theory]
    [MemberData(nameof(Producers))]
    public void Items_are_sent_one_by_one_and_the_end_has_no_value(bool blocking)
    {
        using var host = Start(blocking, i => i < 3);
        host.Call(1, 0, credit: 1 << 16);
        host.ExpectData(FrameType.Started, 1);
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal($"{i}", host.ExpectData(FrameType.Item, 1).Text);
        }

        Assert.Equal(FrameFlags.NoValue, host.ExpectData(FrameType.Result, 1).Flags);
    }

    [Theory]
    [MemberData(nameof(Producers))]
    public void An_item_waits_for_credit_while_control_frames_are_handled(bool blocking)
    {
        using var host = Start(blocking, i => i < 4);
        host.Call(1, 0, credit: One + 1);
        host.ExpectData(FrameType.Started, 1);
        host.ExpectData(FrameType.Item, 1); // One byte of credit is left: the second item overdraws.
        host.ExpectData(FrameType.Item, 1);
        host.SettleControl();

        host.Grant(1, One - 1);             // Exactly what was overdrawn, so nothing yet.
        host.SettleControl();
        host.Grant(1, 1);
        Assert.Equal("2", host.ExpectData(FrameType.Item, 1).Text);
        host.Grant(1, 1000);
        Assert.Equal("3", host.ExpectData(FrameType.Item, 1).Text);
        host.ExpectData(FrameType.Result, 1);
    }

    [Theory]
    [MemberData(nameof(Producers))]
    public void Without_credit_no_item_is_sent_at_all(bool blocking)
    {
        using var produced = new Gate();
        using var host = Start(blocking, i =>
        {
            produced.Open();
            return i < 1;
        });
        host.Call(1, 0, credit: 0);
        host.ExpectData(FrameType.Started, 1);
        produced.Pass();
        host.SettleControl();
        host.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
    }

    [Theory]
    [MemberData(nameof(Producers))]
    public void A_failure_after_items_ends_the_stream_with_its_error(bool blocking)
    {
        using var host = Start(blocking, i => i < 2 ? true : throw new InvalidOperationException("enough"));
        host.Call(1, 0, credit: 1 << 16);
        host.ExpectData(FrameType.Started, 1);
        host.ExpectData(FrameType.Item, 1);
        host.ExpectData(FrameType.Item, 1);
        Assert.Equal("enough", ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Message);
    }

    [Theory]
    [MemberData(nameof(Producers))]
    public void Cancelling_stops_the_producer_at_its_next_item_and_disposes_it_before_the_outcome(bool blocking)
    {
        var disposed = false;
        using var host = Start(blocking, _ => true, () => disposed = true);
        host.Call(1, 0, credit: 10 * One);
        host.ExpectData(FrameType.Started, 1);
        for (var i = 0; i < 10; i++)
        {
            host.ExpectData(FrameType.Item, 1);
        }

        host.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
        Assert.True(disposed);
    }

    [Theory]
    [MemberData(nameof(Producers))]
    public void A_source_that_fails_to_be_disposed_fails_the_stream(bool blocking)
    {
        using var host = Start(blocking, i => i < 1, () => throw new IOException("stuck"));
        host.Call(1, 0, credit: 1 << 16);
        host.ExpectData(FrameType.Started, 1);
        host.ExpectData(FrameType.Item, 1);
        Assert.Equal("System.IO.IOException", ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).TypeName);
    }

    [Fact]
    public void A_blocking_producer_runs_on_its_own_thread_and_other_calls_continue()
    {
        string? ranOn = null;
        using var go = new Gate();
        using var host = ScriptedHost.Ready(
            new TestCatalog().Blocking(_ => Numbers(i =>
            {
                ranOn = $"{Thread.CurrentThread.Name} {Thread.CurrentThread.IsThreadPoolThread}";
                go.Pass();
                return i < 1;
            })).Sync((_, _) => "beside"),
            Capabilities.Concurrent);
        host.Call(1, 0, credit: 1 << 16);
        host.ExpectData(FrameType.Started, 1);
        host.Call(2, 1);
        host.ExpectResult(2);
        go.Open();
        host.ExpectData(FrameType.Item, 1);
        host.ExpectData(FrameType.Result, 1);
        Assert.Equal("weir-call-1 False", ranOn);
    }

    [Fact]
    public void Credit_for_a_call_that_has_ended_is_ignored()
    {
        using var host = Start(blocking: false, i => i < 1);
        host.Call(1, 0, credit: 1 << 16);
        host.ExpectData(FrameType.Started, 1);
        host.ExpectData(FrameType.Item, 1);
        host.ExpectData(FrameType.Result, 1);
        host.Grant(1, 1000);
        host.Grant(7, 1000);
        host.SettleControl();
        Assert.False(host.End.HasEnded);
    }

    [Fact]
    public void Excessive_credit_is_a_violation()
    {
        using var host = Start(blocking: false, _ => true);
        host.Call(1, 0, credit: 1);
        host.ExpectData(FrameType.Started, 1);
        host.Grant(1, 1u << 30);
        host.Grant(1, 1u << 30);
        host.Grant(1, 1u << 30);
        host.DataUp.Stalled = true;
        Assert.Equal("abort 2", host.End.Wait());
    }

    private static IEnumerable<int> Numbers(Func<int, bool>? goOn = null, Action? disposed = null)
    {
        try
        {
            for (var i = 0; goOn?.Invoke(i) ?? true; i++)
            {
                yield return i;
            }
        }
        finally
        {
            disposed?.Invoke();
        }
    }

    private static async IAsyncEnumerable<int> NumbersAsync(Func<int, bool>? goOn, Action? disposed, [EnumeratorCancellation] CancellationToken token)
    {
        try
        {
            for (var i = 0; goOn?.Invoke(i) ?? true; i++)
            {
                await Task.Yield();
                yield return i;
            }
        }
        finally
        {
            disposed?.Invoke();
        }
    }
}
