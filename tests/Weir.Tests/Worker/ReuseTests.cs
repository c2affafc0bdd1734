using System.Text;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Protocol;
using Weir.Worker.Calls;

namespace Weir.Tests.Worker;

/// <summary>The objects that run calls are reused: no state of one call is visible to the next, and nothing is allocated for it.</summary>
public sealed class ReuseTests
{
    [Fact]
    public void A_buffer_that_grew_large_is_not_kept_even_if_it_is_empty_again()
    {
        var answer = new CallResponse(null!);
        answer.Item.Write(new byte[8 << 20]);
        answer.Item.Clear();
        answer.Clear();
        Assert.InRange(answer.Item.GetSpan().Length, 1, 1 << 20);
    }

    [Fact]
    public void Binding_errors_cancellation_and_deadline_of_a_call_do_not_affect_the_next_one()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((call, token) => $"{call.Text} {token.IsCancellationRequested} {call.Data.Length}", usesContext: true));
        host.Cancel(2);
        host.SettleControl();
        host.Call(1, 0, text: null, data: new byte[3]);
        host.Call(2, 0, "cancelled");
        host.Call(3, 0, "late", remaining: 0);
        host.Call(4, 0, "well");
        Assert.Equal(ErrorKind.BadArguments, host.ExpectError(1).Kind);
        Assert.Equal(ErrorKind.Cancelled, host.ExpectError(2).Kind);
        Assert.Equal(ErrorKind.DeadlineExceeded, host.ExpectError(3).Kind);
        Assert.Equal("\"well False 0\"", host.ExpectResult(4).Text);
    }

    [Fact]
    public void A_deadline_whose_timer_fires_too_early_still_expires()
    {
        var time = new ManualTime { TimersAreEarlyBy = TimeSpan.FromMilliseconds(1) };
        var stop = new CallCancellation(time, static _ => { });
        stop.Begin(100);
        time.Advance(TimeSpan.FromMilliseconds(99));
        Assert.Equal((1, false), (time.ActiveTimers, stop.IsPastDeadline));
        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(SpinWait.SpinUntil(() => stop.Token.IsCancellationRequested, TimeSpan.FromSeconds(10)));
    }

    [Fact]
    public void A_token_that_was_kept_is_not_cancelled_by_a_later_call()
    {
        var tokens = new List<CancellationToken>();
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, token) =>
        {
            tokens.Add(token);
            return "";
        }));
        host.Call(1, 0);
        host.ExpectResult(1);
        host.Cancel(2);
        host.SettleControl();
        host.Call(2, 0);
        Assert.Equal(ErrorKind.Cancelled, host.ExpectError(2).Kind);
        host.Call(3, 0, remaining: 1000);
        host.ExpectResult(3);
        host.Call(4, 0);
        host.ExpectResult(4);
        host.Time.Advance(TimeSpan.FromSeconds(2));
        Assert.All(tokens, static token => Assert.False(token.IsCancellationRequested));
    }

    [Fact]
    public void A_call_on_the_data_thread_allocates_nothing_of_the_workers_own()
    {
        const int count = 300;
        var allocated = new long[count + 1];
        using var region = new AllocatedRegion();
        var catalog = new TestCatalog { IsShared = true };
        Call? reused = null;
        catalog.Reusable(operation => reused ??= new PlainCall(operation, n => allocated[n] = GC.GetAllocatedBytesForCurrentThread()));
        using var host = ScriptedHost.Ready(catalog, region: region);
        host.Calls([.. Enumerable.Range(1, count).Select(static id => ScriptedHost.CallOf((ulong)id, 0, text: null, data: Encoding.UTF8.GetBytes($"{id}")))]);
        for (var id = 1; id <= count; id++)
        {
            host.ExpectData(FrameType.Result, (ulong)id);
        }

        Assert.Equal(0, allocated[count] - allocated[count - 100]);
    }

    // Counts the bytes of its one argument, and nothing else.
    private sealed class PlainCall(Operation operation, Action<int> run) : Call<int>(operation)
    {
        private ReadOnlyMemory<byte> _data;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("data") && reader.Begin(ref seen, 1, "data"))
                {
                    _data = reader.ReadBytes();
                    reader.End(ref seen, 1, optional: true);
                }
            }
        }

        public override void WriteArguments(ArgumentWriter writer) => throw new NotSupportedException();

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Value = int.Parse(_data.Span, System.Globalization.CultureInfo.InvariantCulture);
            run(Value);
            return default;
        }

        protected override void Encode(PayloadWriter output, int value, ResultEncoding encoding) => output.Write("1"u8);

        protected override int Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => throw new NotSupportedException();
    }
}
