using System.Globalization;
using System.Text;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;
using Weir.Tests.Protocol;

namespace Weir.Tests.AspNetCore;

/// <summary>The producer and the timers of one stream: one write at a time, every item once, in its place and whole.</summary>
public sealed class StreamInterleavingTests
{
    // The step of the side whose thread this is: a producer that waited for a send continues on the thread that ended it.
    [ThreadStatic]
    private static Action? _step;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void In_every_order_one_writes_at_a_time_and_items_arrive_whole_and_in_order(bool isSlow)
    {
        const int Count = 3;
        var wires = new HashSet<string>();
        var writes = new HashSet<int>();
        var orders = Interleavings.Explore((producerStep, timerStep) =>
        {
            var output = new OneWriterOutput(isSlow);
            var stream = Create(output);
            ValueTask pumping = default;
            return (
                () =>
                {
                    _step = producerStep;
                    pumping = stream.PumpAsync(new NumberSource(Count, () => _step!()), CancellationToken.None);
                },
                () =>
                {
                    _step = timerStep;
                    foreach (var act in (ReadOnlySpan<Action>)[() => stream.OnTick(long.MaxValue), output.Complete, stream.Beat, output.Complete, () => stream.OnTick(long.MaxValue)])
                    {
                        timerStep();
                        act();
                    }
                },
                () =>
                {
                    _step = static () => { };
                    Finish(stream, pumping, output);
                    Assert.Equal("1\n2\n3\n", output.Items);
                    wires.Add(output.Wire);
                    writes.Add(output.Count);
                }
            );
        });
        Assert.True(orders > 200, $"Only {orders} orders were tried.");
        Assert.True(writes.Count > 1, "No timer ever sent an item.");
        Assert.Contains(wires, static wire => wire.Contains("\n\n", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_blocking_producer_and_its_timers_write_one_at_a_time()
    {
        const int Count = 20_000;
        var output = new OneWriterOutput(isSlow: false) { YieldsEvery = 3 };
        var stream = Create(output);
        var producing = Task.Factory.StartNew(
            () => stream.Pump(new BlockingItems([.. Enumerable.Range(1, Count).Select(static i => (Func<string?>)(() => i.ToString(CultureInfo.InvariantCulture)))]), CancellationToken.None),
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        while (!producing.IsCompleted)
        {
            stream.OnTick(long.MaxValue);
            stream.Beat();
        }

        await producing;
        await stream.CompleteAsync();
        Assert.Equal(string.Concat(Enumerable.Range(1, Count).Select(static i => $"{i}\n")), output.Items);
    }

    private static ResponseStream Create(OneWriterOutput output)
    {
        var settings = new StreamSettings(new WeirServerOptions(), new ManualTime());
        return new ResponseStream(new NdjsonFormat(MediaTypes.Ndjson, marked: false), output, FlushPolicy.Adaptive, settings, new FlushTicker(settings));
    }

    private static void Finish(ResponseStream stream, ValueTask pumping, OneWriterOutput output)
    {
        var finishing = FinishAsync(stream, pumping);
        while (!finishing.IsCompleted)
        {
            output.Complete();
        }

        finishing.GetAwaiter().GetResult();
    }

    private static async Task FinishAsync(ResponseStream stream, ValueTask pumping)
    {
        await pumping;
        await stream.CompleteAsync();
    }

    /// <summary>Numbers that are there at once, with a step before each and one in the middle of its encoding.</summary>
    private sealed class NumberSource(int count, Action step) : ItemSource
    {
        private int _number;

        public override ValueTask<bool> MoveNextAsync()
        {
            step();
            return new ValueTask<bool>(++_number <= count);
        }

        public override void WriteCurrent(PayloadWriter output)
        {
            step();
            output.Write(Encoding.UTF8.GetBytes(_number.ToString(CultureInfo.InvariantCulture)));
            step();
        }

        public override ValueTask DisposeAsync() => default;
    }

    /// <summary>A response that fails if a write begins before the one before has completed.</summary>
    private sealed class OneWriterOutput(bool isSlow) : IStreamOutput
    {
        private readonly StringBuilder _wire = new();
        private TaskCompletionSource? _pending;
        private int _writers;

        /// <summary>One in so many writes completes later, on the thread pool; 0 for none.</summary>
        internal int YieldsEvery { get; init; }

        internal int Count { get; private set; }

        internal string Wire => _wire.ToString();

        /// <summary>What was sent without heartbeats.</summary>
        internal string Items => string.Concat(Wire.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line + "\n"));

        public int PieceSize => int.MaxValue;

        public void Commit()
        {
        }

        public async ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> bytes, bool isLast)
        {
            Assert.Equal(1, Interlocked.Increment(ref _writers));
            _wire.Append(Encoding.UTF8.GetString(bytes.Span));
            Count++;
            if (isSlow)
            {
                _pending = new TaskCompletionSource();
                await _pending.Task;
            }
            else if (YieldsEvery > 0 && Count % YieldsEvery == 0)
            {
                await Task.Yield();
            }

            Assert.Equal(0, Interlocked.Decrement(ref _writers));
            return true;
        }

        public void Abort() => Assert.Fail("The stream was aborted.");

        /// <summary>Ends the write that is pending, if there is one.</summary>
        internal void Complete()
        {
            var pending = _pending;
            _pending = null;
            pending?.SetResult();
        }
    }
}
