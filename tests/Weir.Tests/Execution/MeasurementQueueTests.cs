using System.Diagnostics.Metrics;
using Weir.Execution.Diagnostics;

namespace Weir.Tests.Execution;

public sealed class MeasurementQueueTests : IDisposable
{
    private readonly Meter _meter = new("Weir.Tests.MeasurementQueue");
    private readonly MeterListener _listener = new();
    private readonly System.Threading.Channels.Channel<double> _heard = System.Threading.Channels.Channel.CreateUnbounded<double>();
    private readonly ManualResetEventSlim _mayRecord = new(initialState: true);

    public void Dispose()
    {
        _listener.Dispose();
        _meter.Dispose();
        _mayRecord.Dispose();
    }

    [Fact]
    public async Task A_listener_that_blocks_does_not_block_the_thread_that_measures()
    {
        var tally = new PoolMetrics("test", new WeirMeter(_meter));
        Listen("weir.pool.queue.time");
        _mayRecord.Reset();
        tally.Waited([TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2)]);
        tally.Waited([TimeSpan.FromSeconds(3)]);
        _mayRecord.Set();
        Assert.Equal([1.0, 2.0, 3.0], await ReceiveAsync(3));
        Assert.Equal(0, tally.MeasurementsLost);
    }

    [Fact]
    public async Task A_measurement_that_finds_the_queue_full_is_dropped_and_counted()
    {
        var queue = new MeasurementQueue(_meter.CreateHistogram<double>("times"), new("name", "value"));
        Listen("times");
        _mayRecord.Reset();
        queue.Add([TimeSpan.Zero]);
        queue.Add([.. Enumerable.Repeat(TimeSpan.FromSeconds(1), 2 * MeasurementQueue.Most)]);
        Assert.InRange(queue.Lost, MeasurementQueue.Most, MeasurementQueue.Most + 1);
        _mayRecord.Set();
        Assert.Equal((2 * MeasurementQueue.Most) + 1 - queue.Lost, (await ReceiveAsync((2 * MeasurementQueue.Most) + 1 - (int)queue.Lost)).Count);
    }

    private void Listen(string name)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter == _meter && instrument.Name == name)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>((_, value, _, _) =>
        {
            _mayRecord.Wait();
            _heard.Writer.TryWrite(value);
        });
        _listener.Start();
    }

    private async Task<List<double>> ReceiveAsync(int count)
    {
        List<double> heard = [];
        while (heard.Count < count)
        {
            heard.Add(await _heard.Reader.ReadAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System));
        }

        return heard;
    }
}
