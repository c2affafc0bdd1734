using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Pools;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Processes;

/// <summary>The consumer's side of a stream from a worker, with the worker's items handed in by the test.</summary>
public sealed class ItemPipeTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private static readonly byte[] Item = Text(1000);

    private readonly ManualTime _time = new();
    private readonly WorkerLog _log = new(NullLoggerFactory.Instance, "test");
    private readonly PoolCore _core;
    private readonly PoolReports _reports;
    private readonly PoolExecutor _executor;

    public ItemPipeTests()
    {
        var spec = new PoolDefinition
        {
            Name = "test",
            Options = new PoolOptions { MinWorkers = 0, MaxWorkers = 1, StallTimeout = Patience },
            Program = new WorkerProgram("none", [], new Dictionary<string, string>()),
            Launcher = new NoLauncher(),
            Operations = [],
            Loggers = NullLoggerFactory.Instance,
            Time = _time,
        };
        _reports = new PoolReports(spec, _log, () => spec.Settings.QueueLimit);
        _core = new PoolCore(spec.Settings, _time, capacity: null, static (_, _) => throw new InvalidOperationException("no worker is needed"), _reports);
        _executor = new PoolExecutor(spec, _core, _reports);
    }

    public void Dispose()
    {
        _core.Dispose();
        _reports.Dispose();
    }

    [Fact]
    public async Task A_reader_that_takes_an_item_occasionally_is_not_stalled()
    {
        using var stream = Open();
        Fill(stream);

        // Much less than one grant, but never with a pause as long as the timeout.
        for (var taken = 0; taken < 20; taken++)
        {
            _time.Advance(TimeSpan.FromSeconds(20));
            Assert.True(await stream.Items!.MoveNextAsync());
        }

        Assert.False(stream.HasOutcome);
        _time.Advance(Patience - TimeSpan.FromMilliseconds(1));
        Assert.False(stream.HasOutcome);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(stream.HasOutcome);
        await Assert.ThrowsAsync<ReaderStalledException>(async () => await stream.Items!.MoveNextAsync());
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public async Task A_reader_that_takes_nothing_while_the_window_is_full_is_stalled()
    {
        using var stream = Open();
        _time.Advance(Patience);
        Assert.False(stream.HasOutcome);
        Fill(stream);
        _time.Advance(Patience);
        Assert.True(stream.HasOutcome);
        await Assert.ThrowsAsync<ReaderStalledException>(async () => await stream.Items!.MoveNextAsync());
    }

    [Fact]
    public void The_time_during_which_the_host_was_suspended_does_not_count_against_a_reader()
    {
        using var stream = Open();
        _time.TimersAreLateBy = TimeSpan.FromMinutes(5);
        Fill(stream);
        _time.TimersAreLateBy = TimeSpan.Zero;
        _time.Advance(TimeSpan.FromMinutes(5) + Patience);
        Assert.False(stream.HasOutcome);
        _time.Advance(Patience - TimeSpan.FromMilliseconds(1));
        Assert.False(stream.HasOutcome);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(stream.HasOutcome);
    }

    [Fact]
    public void Timers_that_are_always_late_end_the_stream_of_a_reader_that_takes_nothing()
    {
        using var stream = Open();
        _time.TimersAreLateBy = TimeSpan.FromSeconds(1);
        Fill(stream);
        _time.Advance(Patience + TimeSpan.FromSeconds(1));
        Assert.False(stream.HasOutcome);
        _time.Advance(Patience + TimeSpan.FromSeconds(1));
        Assert.True(stream.HasOutcome);
    }

    [Fact]
    public async Task The_thread_that_delivers_an_item_runs_no_code_of_the_readers_synchronization_context()
    {
        using var stream = Open();
        var context = new RefusingContext();
        var before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);
        Task<bool> moving;
        try
        {
            moving = Await(stream.Items!.MoveNextAsync());
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }

        Fill(stream);
        Assert.True(await moving);
        Assert.Equal(0, context.Posts);

        static async Task<bool> Await(ValueTask<bool> next) => await next;
    }

    [Fact]
    public async Task A_reader_that_stops_at_an_item_larger_than_the_window_is_stalled_although_credit_was_granted()
    {
        using var stream = Open();
        Send(stream, Text(ItemQueue.Window / 2));
        Send(stream, Text(2 * ItemQueue.Window));
        Assert.True(await stream.Items!.MoveNextAsync());
        Assert.True(await stream.Items!.MoveNextAsync());
        _time.Advance(Patience);
        Assert.True(stream.HasOutcome);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task The_response_head_is_available_before_the_first_item_or_the_end(int items)
    {
        var call = new NumberStream();
        using var stream = Open(call);
        var moving = stream.Items!.MoveNextAsync().AsTask();
        for (var i = 0; i < items; i++)
        {
            stream.Items!.Accept(i == 0 ? Headed(FrameType.Item, FrameFlags.None, Item) : Framed(FrameType.Item, FrameFlags.None, Item));
        }

        stream.Succeed(items == 0 ? Headed(FrameType.Result, FrameFlags.NoValue, []) : Framed(FrameType.Result, FrameFlags.NoValue, []));

        Assert.Equal(items > 0, await moving);
        Assert.Equal((206, "b"), (call.Context!.StatusCode, call.Context.Headers["X-A"]));
        if (items > 0)
        {
            Assert.Equal(Item, stream.Items!.Current.ToArray());
            Assert.True(await stream.Items!.MoveNextAsync());
            Assert.False(await stream.Items!.MoveNextAsync());
        }
    }

    [Fact]
    public async Task A_result_that_cannot_be_read_ends_the_stream_with_that_failure()
    {
        using var stream = Open();
        stream.Succeed(Framed(FrameType.Result, FrameFlags.NoValue | FrameFlags.Head, [1]));
        await Assert.ThrowsAsync<FrameException>(async () => await stream.Items!.MoveNextAsync());
        await Assert.ThrowsAsync<FrameException>(async () => await stream.Call.WhenEnded);
    }

    [Fact]
    public void A_head_after_the_first_item_breaks_the_protocol()
    {
        using var stream = Open();
        Send(stream, Item);
        Assert.Equal(FrameError.UnexpectedFrame, Assert.Throws<FrameException>(() => stream.Items!.Accept(Headed(FrameType.Item, FrameFlags.None, Item))).Error);
    }

    private PoolCall Open(StreamCall? call = null)
    {
        var stream = new PoolCall(_executor);
        stream.Begin(call ?? new NumberStream(), new CallRequest { Services = Execution.NoServices.Instance });
        stream.Observe();
        stream.OpenItems(Patience);
        Assert.Equal(CallState.Admitted, _core.Arrive(stream));
        return stream;
    }

    private static void Fill(PoolCall stream)
    {
        for (var sent = 0; sent < ItemQueue.Window; sent += ItemCredit.CostOf(Item.Length))
        {
            Send(stream, Item);
        }
    }

    private sealed class RefusingContext : SynchronizationContext
    {
        public int Posts { get; private set; }

        public override void Post(SendOrPostCallback d, object? state)
        {
            Posts++;
            throw new InvalidOperationException("the window is closed");
        }
    }

    private static void Send(PoolCall stream, byte[] item) =>
        stream.Items!.Accept(Framed(FrameType.Item, FrameFlags.None, item));

    private static Frame Framed(FrameType type, FrameFlags flags, byte[] payload) => new(new FrameHeader(type, flags, 1, payload.Length), payload);

    private static Frame Headed(FrameType type, FrameFlags flags, byte[] value)
    {
        using var output = new PayloadWriter();
        ResponseHead.Write(output, 206, new Dictionary<string, string> { ["X-A"] = "b" });
        output.Write(value);
        return Framed(type, flags | FrameFlags.Head, output.WrittenSpan.ToArray());
    }

    private static byte[] Text(int length) => Encoding.UTF8.GetBytes($"\"{new string('x', length - 2)}\"");

    private sealed class NoLauncher : IWorkerLauncher
    {
        public Task<WorkerHandle> LaunchAsync(LaunchRequest request) => Task.FromException<WorkerHandle>(new NotSupportedException());

        public WorkerLimits Prepare(ILimitOptions options) => WorkerLimits.None;
    }

    private sealed class NumberStream() : StreamCall<int>(Execution.Some.Operation())
    {
        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer) => throw new NotSupportedException();

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override void WriteItem(PayloadWriter output, int item) => throw new NotSupportedException();

        public override int ReadItem(ReadOnlySpan<byte> item) => throw new NotSupportedException();
    }
}
