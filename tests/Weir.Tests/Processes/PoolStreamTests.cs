using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution;
using Weir.Execution.Processes;
using Weir.Protocol;

namespace Weir.Tests.Processes;

/// <summary>The consumer's side of a stream from a worker, with the worker's items handed in by the test.</summary>
public sealed class PoolStreamTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private static readonly byte[] Item = Text(1000);

    private readonly ManualTime _time = new();
    private readonly WorkerLog _log = new(NullLoggerFactory.Instance, "test");
    private readonly PoolEvents _events;
    private readonly PoolExecutor _executor;

    public PoolStreamTests()
    {
        var spec = new PoolSpec
        {
            Name = "test",
            Options = new PoolOptions { MinWorkers = 0, MaxWorkers = 1, StallTimeout = Patience },
            Program = new WorkerProgram("none", [], new Dictionary<string, string>()),
            Launcher = new NoLauncher(),
            Operations = [],
            Loggers = NullLoggerFactory.Instance,
            Time = _time,
        };
        _events = new PoolEvents(spec, _log);
        _executor = new PoolExecutor(spec, _events);
    }

    public void Dispose() => _events.Dispose();

    [Fact]
    public async Task A_reader_that_takes_an_item_now_and_then_is_not_stalled()
    {
        using var stream = Open();
        Fill(stream);

        // Far less than what is granted at a time, but never a pause as long as the patience.
        for (var taken = 0; taken < 20; taken++)
        {
            _time.Advance(TimeSpan.FromSeconds(20));
            Assert.True(await stream.MoveNextAsync());
        }

        Assert.False(stream.HasEnding);
        _time.Advance(Patience - TimeSpan.FromMilliseconds(1));
        Assert.False(stream.HasEnding);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(stream.HasEnding);
        await Assert.ThrowsAsync<ReaderStalledException>(async () => await stream.MoveNextAsync());
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public async Task A_reader_that_takes_nothing_while_the_window_is_full_is_stalled()
    {
        using var stream = Open();
        _time.Advance(Patience);
        Assert.False(stream.HasEnding);
        Fill(stream);
        _time.Advance(Patience);
        Assert.True(stream.HasEnding);
        await Assert.ThrowsAsync<ReaderStalledException>(async () => await stream.MoveNextAsync());
    }

    [Fact]
    public async Task Whoever_brings_an_item_runs_no_code_of_the_readers_synchronization_context()
    {
        using var stream = Open();
        var context = new RefusingContext();
        var before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);
        Task<bool> moving;
        try
        {
            moving = Await(stream.MoveNextAsync());
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
    public async Task A_reader_that_stops_at_an_item_larger_than_the_window_is_stalled_although_something_was_granted()
    {
        using var stream = Open();
        Send(stream, Text(ItemQueue.Window / 2));
        Send(stream, Text(2 * ItemQueue.Window));
        Assert.True(await stream.MoveNextAsync());
        Assert.True(await stream.MoveNextAsync());
        _time.Advance(Patience);
        Assert.True(stream.HasEnding);
    }

    private PoolStream Open()
    {
        var stream = new PoolStream(_executor, new NumberStream(), new ExecutionRequest { Services = Execution.NoServices.Instance }, _events, Patience, _time);
        Assert.Equal(CallState.Admitted, _events.Arrive(stream));
        return stream;
    }

    private static void Fill(PoolStream stream)
    {
        for (var sent = 0; sent < ItemQueue.Window; sent += Credit.CostOf(Item.Length))
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

    private static void Send(PoolStream stream, byte[] item) =>
        stream.Accept(new Frame(new FrameHeader(FrameType.Item, FrameFlags.None, 1, item.Length), item));

    private static byte[] Text(int length) => Encoding.UTF8.GetBytes($"\"{new string('x', length - 2)}\"");

    private sealed class NoLauncher : IWorkerLauncher
    {
        public Task<WorkerHandle> LaunchAsync(LaunchRequest request) => Task.FromException<WorkerHandle>(new NotSupportedException());

        public WorkerLimits Prepare(PoolOptions options) => WorkerLimits.None;
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
