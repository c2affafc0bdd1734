using Weir.Protocol.Frames;
using Weir.Protocol.Page;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Protocol;

namespace Weir.Tests.Worker;

/// <summary>A worker with a page: it starts calls without a frame, sends what it finished together, and loses none of it.</summary>
public sealed class PageTests : IDisposable
{
    private readonly PageMemory _page = new();
    private readonly Gate _entered = new();
    private readonly Gate _go = new();

    [Fact]
    public void PAGE_is_chosen_where_it_is_offered_and_there_is_a_page()
    {
        var catalog = new TestCatalog().Sync((_, _) => "");
        Assert.Equal(Capabilities.Page, Chosen(catalog, Capabilities.Page, _page));
        Assert.Equal(Capabilities.None, Chosen(catalog, Capabilities.None, _page));
        Assert.Equal(Capabilities.None, Chosen(catalog, Capabilities.Page, null));
    }

    [Fact]
    public void Calls_are_started_without_a_frame_and_counted_with_their_time()
    {
        using var host = Ready(new TestCatalog().Sync((call, _) => call.Text));
        host.Time.Advance(TimeSpan.FromMilliseconds(5));
        host.Calls(ScriptedHost.CallOf(1, 0, "a"), ScriptedHost.CallOf(2, 0, "b"));
        Assert.Equal("\"a\"", host.ExpectData(FrameType.Result, 1).Text);
        Assert.Equal("\"b\"", host.ExpectData(FrameType.Result, 2).Text);
        Assert.Equal(2ul, _page.Host.StartedThrough(0, 2));
        Assert.Equal(5_000_000ul, _page.Host.StartOf(2));
        Assert.Equal(2ul, _page.Host.ReadTotals().Done);
    }

    [Fact]
    public void What_is_finished_behind_a_running_call_is_sent_when_the_host_asks()
    {
        using var host = Ready(Blocking());
        host.Calls(ScriptedHost.CallOf(1, 0), ScriptedHost.CallOf(2, 1));
        _entered.Pass();
        Assert.Equal(2ul, _page.Field(PageLayout.StartedCall));
        host.SettleControl();
        host.ExpectData(FrameType.Result, 1);
        _go.Open();
        host.ExpectData(FrameType.Result, 2);
    }

    [Fact]
    public void What_is_finished_and_not_sent_is_found_by_the_host_and_what_runs_is_known()
    {
        using var host = Ready(Blocking());
        host.Calls(ScriptedHost.CallOf(1, 0, "one"), ScriptedHost.CallOf(2, 0, "two"), ScriptedHost.CallOf(3, 1), ScriptedHost.CallOf(4, 0));
        _entered.Pass();

        using var frames = new FrameReader(FrameRoute.DataUp);
        Assert.Equal(SalvageOutcome.Taken, _page.Host.Salvage(frames));
        Assert.True(frames.TryRead(out var first));
        Assert.Equal("\"one\""u8, first.Payload);
        Assert.True(frames.TryRead(out var second));
        Assert.Equal("\"two\""u8, second.Payload);
        frames.Complete();
        Assert.Equal(3ul, _page.Host.StartedThrough(2, 4));
        _go.Open();
    }

    [Fact]
    public void Calls_that_were_taken_back_are_dropped_and_later_ones_run()
    {
        using var host = Ready(Blocking());
        host.Calls(ScriptedHost.CallOf(1, 1), ScriptedHost.CallOf(2, 0), ScriptedHost.CallOf(3, 0));
        _entered.Pass();
        host.Cancel(3);
        host.SettleControl();
        Assert.True(_page.Host.TryWithdraw(0, 3, out var first));
        Assert.Equal(2ul, first);
        host.Call(4, 0, "four");
        _go.Open();
        host.ExpectData(FrameType.Result, 1);
        Assert.Equal("\"four\"", host.ExpectData(FrameType.Result, 4).Text);
        Assert.Equal(2ul, _page.Host.ReadTotals().Done);
    }

    [Fact]
    public void Results_that_are_much_together_are_sent_before_the_next_call_ends()
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
    [InlineData(PageLayout.RingSize - 16, PageLayout.RingSize - 15)]
    public void Results_of_any_length_come_whole_and_in_order(int first, int second)
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
    public void A_result_beyond_the_ring_waits_for_a_host_that_reads_late_and_nobody_comes_between()
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
            page: _page);
        var wants = PageAccess.OpenWaitWord(_page.Address, PageLayout.WorkerWantsRoom);
        host.Calls(ScriptedHost.CallOf(1, 0, $"{3 * PageLayout.RingSize}", encoding: ResultEncoding.Raw), ScriptedHost.CallOf(2, 1, "between"));

        // 1. It waits: the host has taken nothing.
        Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref _page.Field(PageLayout.WorkerWantsRoom)) == 1, MemoryPipe.Patience));
        _go.Open();

        // 2. It goes on each time there is room.
        var first = host.NextData();
        var second = host.NextData();
        Assert.Equal([(1ul, 3 * PageLayout.RingSize), (2ul, 9)], new[] { (first.CallId, first.Payload.Length), (second.CallId, second.Payload.Length) }.Order());
        Assert.False(wants.TryLower());
    }

    [Fact]
    public void PING_wakes_a_host_that_sleeps_although_its_word_was_overwritten()
    {
        using var host = Ready(new TestCatalog().Sync((call, _) => call.Text));
        _page.Field(PageLayout.HostSleeps) = 0;
        host.Call(1, 0, "a");
        host.SettleControl();
        Assert.Equal(1, host.DataUp.Read(new byte[8], forEver: false));
        Assert.Equal("\"a\"", host.ExpectData(FrameType.Result, 1).Text);
    }

    [Fact]
    public void ROOM_is_for_those_who_have_a_page()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        host.Control(static frames => frames.Append(FrameType.Room, 0));
        var bye = host.ExpectControl(FrameType.Bye);
        Assert.StartsWith("UnexpectedFrame", ByePayload.Read(bye.Payload).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_call_that_goes_on_elsewhere_keeps_its_arguments_and_answers_from_there()
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
    public void Calls_that_run_beside_each_other_start_in_order_and_end_in_any()
    {
        using var host = ScriptedHost.Ready(Blocking(), Capabilities.Concurrent, page: _page);
        host.Calls(ScriptedHost.CallOf(1, 1), ScriptedHost.CallOf(2, 0, "quick"));
        Assert.Equal("\"quick\"", host.ExpectData(FrameType.Result, 2).Text);
        _entered.Pass();
        Assert.Equal(2ul, _page.Host.StartedThrough(0, 2));
        Assert.Equal(2ul, _page.Field(PageLayout.StartedCall));

        // Counted a moment after the result was sent.
        Assert.True(SpinWait.SpinUntil(() => _page.Host.ReadTotals().Done == 1, TimeSpan.FromSeconds(20)));
        _go.Open();
        host.ExpectData(FrameType.Result, 1);
    }

    [Fact]
    public void A_host_that_took_what_was_not_there_is_named_by_whichever_thread_finds_it()
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog()
                .Async(async (call, _) =>
                {
                    await _go.PassAsync();
                    return call.Text;
                }),
            Capabilities.Concurrent,
            page: _page);
        _page.Field(PageLayout.UpTaken) = ulong.MaxValue / 2;

        // The first fits without a look; whoever adds the second looks.
        host.Calls(ScriptedHost.CallOf(1, 0, new string('x', 20_000)), ScriptedHost.CallOf(2, 0, new string('y', 20_000)));
        _go.Open();
        Assert.Equal("abort 2", host.End.Wait());
        Assert.StartsWith("ImpossiblePage", ByePayload.Read(host.ExpectControl(FrameType.Bye).Payload).Message, StringComparison.Ordinal);
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
    public void Draining_sends_what_was_finished_before_the_channels_end()
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
        _page.Dispose();
        _entered.Dispose();
        _go.Dispose();
    }

    // Operation 0 answers at once, operation 1 when it may.
    private TestCatalog Blocking() => new TestCatalog()
        .Sync(static (call, _) => call.Text)
        .Sync((_, _) =>
        {
            _entered.Open();
            _go.Pass();
            return "late";
        });

    private ScriptedHost Ready(TestCatalog catalog) => ScriptedHost.Ready(catalog, page: _page);

    private static Capabilities Chosen(TestCatalog catalog, Capabilities offered, PageMemory? page)
    {
        using var host = new ScriptedHost(() => [catalog], page);
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, Capabilities = offered }.Write);
        return ReadyPayload.Read(host.ExpectControl(FrameType.Ready).Payload).Capabilities;
    }
}
