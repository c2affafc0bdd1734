using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Protocol.SharedMemory;
using Weir.Runtime;
using Weir.Tests.Protocol;

namespace Weir.Tests.Worker;

/// <summary>A worker with shared memory: it starts calls without a frame, sends finished results together, and loses none of them.</summary>
public sealed class SharedMemoryTests : IDisposable
{
    private readonly AllocatedRegion _region = new();
    private readonly Gate _entered = new();
    private readonly Gate _go = new();

    [Fact]
    public void PAGE_is_chosen_if_it_is_offered_and_there_is_shared_memory()
    {
        var catalog = new TestCatalog().Sync((_, _) => "");
        Assert.Equal(Capabilities.SharedMemory, Chosen(catalog, Capabilities.SharedMemory, _region));
        Assert.Equal(Capabilities.None, Chosen(catalog, Capabilities.None, _region));
        Assert.Equal(Capabilities.None, Chosen(catalog, Capabilities.SharedMemory, null));
    }

    [Fact]
    public void Calls_are_started_without_a_frame_and_counted_with_their_time()
    {
        using var host = Ready(new TestCatalog().Sync((call, _) => call.Text));
        host.Time.Advance(TimeSpan.FromMilliseconds(5));
        host.Calls(ScriptedHost.CallOf(1, 0, "a"), ScriptedHost.CallOf(2, 0, "b"));
        Assert.Equal("\"a\"", host.ExpectData(FrameType.Result, 1).Text);
        Assert.Equal("\"b\"", host.ExpectData(FrameType.Result, 2).Text);
        Assert.Equal(2ul, _region.Host.StartedThrough(0, 2));
        Assert.Equal(5_000_000ul, _region.Host.StartOf(2));
        Assert.Equal(2ul, _region.Host.ReadTotals().Done);
    }

    [Fact]
    public void Results_finished_before_a_running_call_are_sent_when_the_host_requests_them()
    {
        using var host = Ready(Blocking());
        host.Calls(ScriptedHost.CallOf(1, 0), ScriptedHost.CallOf(2, 1));
        _entered.Pass();
        Assert.Equal(2ul, _region.Field(SharedMemoryLayout.StartedCall));
        host.SettleControl();
        host.ExpectData(FrameType.Result, 1);
        _go.Open();
        host.ExpectData(FrameType.Result, 2);
    }

    [Fact]
    public void Finished_results_that_were_not_sent_are_found_by_the_host_and_the_running_call_is_known()
    {
        using var host = Ready(Blocking());
        host.Calls(ScriptedHost.CallOf(1, 0, "one"), ScriptedHost.CallOf(2, 0, "two"), ScriptedHost.CallOf(3, 1), ScriptedHost.CallOf(4, 0));
        _entered.Pass();

        using var frames = new FrameReader(FrameRoute.DataUp);
        Assert.Equal(SalvageOutcome.Taken, _region.Host.Salvage(frames));
        Assert.True(frames.TryRead(out var first));
        Assert.Equal("\"one\""u8, first.Payload);
        Assert.True(frames.TryRead(out var second));
        Assert.Equal("\"two\""u8, second.Payload);
        frames.Complete();
        Assert.Equal(3ul, _region.Host.StartedThrough(2, 4));
        _go.Open();
    }

    [Fact]
    public void Withdrawn_calls_are_dropped_and_later_ones_run()
    {
        using var host = Ready(Blocking());
        host.Calls(ScriptedHost.CallOf(1, 1), ScriptedHost.CallOf(2, 0), ScriptedHost.CallOf(3, 0));
        _entered.Pass();
        host.Cancel(3);
        host.SettleControl();
        Assert.True(_region.Host.TryWithdraw(0, 3, out var first));
        Assert.Equal(2ul, first);
        host.Call(4, 0, "four");
        _go.Open();
        host.ExpectData(FrameType.Result, 1);
        Assert.Equal("\"four\"", host.ExpectData(FrameType.Result, 4).Text);
        Assert.Equal(2ul, _region.Host.ReadTotals().Done);
    }

    [Fact]
    public void Results_that_are_large_together_are_sent_before_the_next_call_completes()
    {
        using var host = Ready(Blocking());
        var large = new string('x', 70_000);
        host.Calls(ScriptedHost.CallOf(1, 0, large), ScriptedHost.CallOf(2, 0, large), ScriptedHost.CallOf(3, 1));
        host.ExpectData(FrameType.Result, 1);
        host.ExpectData(FrameType.Result, 2);
        _go.Open();
        host.ExpectData(FrameType.Result, 3);
    }

    [Theory]
    [InlineData(60_000, 60_000)]
    [InlineData(3_000_000, 10)]
    [InlineData(10, 3_000_000)]
    [InlineData(SharedMemoryLayout.RingSize - 16, SharedMemoryLayout.RingSize - 15)]
    public void Results_of_any_length_arrive_complete_and_in_order(int first, int second)
    {
        using var host = Ready(new TestCatalog().Sync((call, _) => new string('x', int.Parse(call.Text!, System.Globalization.CultureInfo.InvariantCulture))));
        host.Calls(
            ScriptedHost.CallOf(1, 0, $"{first}", encoding: ResultEncoding.Raw),
            ScriptedHost.CallOf(2, 0, $"{second}", encoding: ResultEncoding.Raw),
            ScriptedHost.CallOf(3, 0, "5", encoding: ResultEncoding.Raw));
        Assert.Equal(first, host.ExpectData(FrameType.Result, 1).Payload.Length);
        Assert.Equal(second, host.ExpectData(FrameType.Result, 2).Payload.Length);
        Assert.Equal("xxxxx", host.ExpectData(FrameType.Result, 3).Text);
    }

    [Fact]
    public void A_result_larger_than_the_ring_waits_for_a_host_that_reads_late_and_no_other_result_comes_between()
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog()
                .Sync((call, _) => new string('x', int.Parse(call.Text!, System.Globalization.CultureInfo.InvariantCulture)))
                .Async(async (call, _) =>
                {
                    await _go.PassAsync();
                    return call.Text;
                }),
            Capabilities.Concurrent,
            region: _region);
        var wants = new WaitWord<SharedMemoryAccess>(_region.Address, SharedMemoryLayout.WorkerWantsSpace);
        host.Calls(ScriptedHost.CallOf(1, 0, $"{3 * SharedMemoryLayout.RingSize}", encoding: ResultEncoding.Raw), ScriptedHost.CallOf(2, 1, "between"));

        // 1. The result waits: the host has taken nothing.
        Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref _region.Field(SharedMemoryLayout.WorkerWantsSpace)) == 1, MemoryPipe.Patience));
        _go.Open();

        // 2. It continues each time there is space.
        var first = host.NextData();
        var second = host.NextData();
        Assert.Equal([(1ul, 3 * SharedMemoryLayout.RingSize), (2ul, 9)], new[] { (first.CallId, first.Payload.Length), (second.CallId, second.Payload.Length) }.Order());
        Assert.False(wants.TryLower());
    }

    [Fact]
    public void PING_wakes_a_sleeping_host_although_its_word_was_overwritten()
    {
        using var host = Ready(new TestCatalog().Sync((call, _) => call.Text));
        _region.Field(SharedMemoryLayout.HostSleeps) = 0;
        host.Call(1, 0, "a");
        host.SettleControl();
        Assert.Equal(1, host.DataUp.Read(new byte[8], waitsForever: false));
        Assert.Equal("\"a\"", host.ExpectData(FrameType.Result, 1).Text);
    }

    [Fact]
    public void ROOM_requires_shared_memory()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        host.Control(static frames => frames.Append(FrameType.Space, 0));
        var bye = host.ExpectControl(FrameType.Bye);
        Assert.StartsWith("UnexpectedFrame", ByePayload.Read(bye.Payload).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_call_that_continues_on_another_thread_keeps_its_arguments_and_answers_from_there()
    {
        using var host = Ready(new TestCatalog()
            .Sync((call, _) => call.Text)
            .Async(async (call, _) =>
            {
                await _go.PassAsync();
                return Convert.ToHexString(call.Data.Span);
            }));
        host.Calls(ScriptedHost.CallOf(1, 0, "before"), ScriptedHost.CallOf(2, 1, data: [1, 2, 3]), ScriptedHost.CallOf(3, 0, "after"));
        Assert.Equal("\"before\"", host.ExpectData(FrameType.Result, 1).Text);
        host.Call(4, 0, new string('y', 100_000));
        _go.Open();
        Assert.Equal("\"010203\"", host.ExpectData(FrameType.Result, 2).Text);
        Assert.Equal("\"after\"", host.ExpectData(FrameType.Result, 3).Text);
        Assert.Equal(100_002, host.ExpectData(FrameType.Result, 4).Payload.Length);
    }

    [Fact]
    public void Concurrent_calls_start_in_order_and_complete_in_any_order()
    {
        using var host = ScriptedHost.Ready(Blocking(), Capabilities.Concurrent, region: _region);
        host.Calls(ScriptedHost.CallOf(1, 1), ScriptedHost.CallOf(2, 0, "quick"));
        Assert.Equal("\"quick\"", host.ExpectData(FrameType.Result, 2).Text);
        _entered.Pass();
        Assert.Equal(2ul, _region.Host.StartedThrough(0, 2));
        Assert.Equal(2ul, _region.Field(SharedMemoryLayout.StartedCall));

        // The totals are updated a moment after the result was sent.
        Assert.True(SpinWait.SpinUntil(() => _region.Host.ReadTotals().Done == 1, TimeSpan.FromSeconds(20)));
        _go.Open();
        host.ExpectData(FrameType.Result, 1);
    }

    [Fact]
    public void A_host_that_took_more_than_was_sent_is_reported_by_the_thread_that_finds_it()
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog()
                .Async(async (call, _) =>
                {
                    await _go.PassAsync();
                    return call.Text;
                }),
            Capabilities.Concurrent,
            region: _region);
        _region.Field(SharedMemoryLayout.UpTaken) = ulong.MaxValue / 2;

        // The first result fits without reading the host's word; adding the second one reads it.
        host.Calls(ScriptedHost.CallOf(1, 0, new string('x', 20_000)), ScriptedHost.CallOf(2, 0, new string('y', 20_000)));
        _go.Open();
        Assert.Equal("abort 2", host.End.Wait());
        Assert.StartsWith("ImpossibleSharedMemory", ByePayload.Read(host.ExpectControl(FrameType.Bye).Payload).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Items_are_sent_one_by_one()
    {
        using var host = Ready(new TestCatalog().Blocking(_ => Items()));
        host.Call(1, 0, credit: 10_000);
        Assert.Equal("1", host.ExpectData(FrameType.Item, 1).Text);
        _entered.Pass();
        _go.Open();
        Assert.Equal("2", host.ExpectData(FrameType.Item, 1).Text);
        host.ExpectData(FrameType.Result, 1);

        IEnumerable<int> Items()
        {
            yield return 1;
            _entered.Open();
            _go.Pass();
            yield return 2;
        }
    }

    [Fact]
    public void Draining_sends_finished_results_before_the_end_of_the_channel()
    {
        using var host = Ready(Blocking());
        host.Calls(ScriptedHost.CallOf(1, 0, "one"), ScriptedHost.CallOf(2, 1), ScriptedHost.CallOf(3, 0));
        _entered.Pass();
        host.Drain(3);
        var returned = host.ExpectControl(FrameType.Returned);
        Assert.Equal((3ul, 3ul), (returned.CallId, ReturnedPayload.Read(returned.Payload).Last));
        _go.Open();
        Assert.Equal("\"one\"", host.ExpectData(FrameType.Result, 1).Text);
        host.ExpectData(FrameType.Result, 2);
        host.ExpectDataEnd();
        host.ExpectControl(FrameType.Bye);
    }

    public void Dispose()
    {
        _region.Dispose();
        _entered.Dispose();
        _go.Dispose();
    }

    // Operation 0 answers at once, operation 1 when the test allows it.
    private TestCatalog Blocking() => new TestCatalog()
        .Sync(static (call, _) => call.Text)
        .Sync((_, _) =>
        {
            _entered.Open();
            _go.Pass();
            return "late";
        });

    private ScriptedHost Ready(TestCatalog catalog) => ScriptedHost.Ready(catalog, region: _region);

    private static Capabilities Chosen(TestCatalog catalog, Capabilities offered, AllocatedRegion? region)
    {
        using var host = new ScriptedHost(() => [catalog], region);
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, Capabilities = offered }.Write);
        return ReadyPayload.Read(host.ExpectControl(FrameType.Ready).Payload).Capabilities;
    }
}
