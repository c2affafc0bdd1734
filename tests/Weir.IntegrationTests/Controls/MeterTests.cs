using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Processes;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>The meter of an application whose workers are real.</summary>
public sealed class MeterTests : IDisposable
{
    private readonly MeterListener _listener = new();

    // One entry per instrument and its tags; times by the number of their measurements.
    private readonly ConcurrentDictionary<string, long> _counts = new();

    public void Dispose() => _listener.Dispose();

    [Fact]
    public async Task An_applications_own_meter_counts_calls_workers_and_losses()
    {
        await using var pool = new ControlledPool(options => options.MaxWorkers = 2, static services => services.AddMetrics());
        Listen(pool.Get<IMeterFactory>());
        await pool.AskAsync<int>("ProcessId");
        await Task.WhenAll(Enumerable.Range(0, 100).Select(_ => pool.AskAsync<int>("ProcessId", request: new CallRequest { Admission = CallAdmission.Wait })));
        await Assert.ThrowsAsync<WorkerLostException>(() => pool.AskAsync<object>("Crash"));

        Assert.Equal((101, 1, 0), (Read("weir.pool.calls ok"), Read("weir.pool.calls worker_lost"), Read("weir.pool.calls handler_failed")));
        Assert.Equal((1, 0), (Read("weir.pool.workers.ended call"), Read("weir.pool.workers.ended internal")));
        Assert.True(await ProcFiles.EventuallyAsync(() => _counts["weir.pool.queue.time"] == 102, TimeSpan.FromSeconds(60)), $"{_counts["weir.pool.queue.time"]}");
        Assert.True(await ProcFiles.EventuallyAsync(
            () => _counts.GetValueOrDefault("weir.pool.call.time Controlled/ProcessId ok") == 101 && _counts.GetValueOrDefault("weir.pool.call.time Controlled/Crash worker_lost") == 1, TimeSpan.FromSeconds(60)));
        Assert.InRange(Read("weir.pool.workers.started"), 1, 4);
        Assert.InRange(_counts["weir.pool.start.time"], 1, 4);
        Assert.Equal(0, Read("weir.pool.queue.length"));
        Assert.InRange(Read("weir.pool.workers idle"), 0, 2);
        Assert.Equal(0, Read("weir.pool.calls.retried"));

        await pool.DisposeAsync();
        _counts.Clear();
        _listener.RecordObservableInstruments();
        Assert.Empty(_counts);
    }

    [Fact]
    public async Task Cancelled_calls_and_missed_deadlines_are_counted_apart()
    {
        await using var pool = new ControlledPool(static _ => { }, static services => services.AddMetrics());
        Listen(pool.Get<IMeterFactory>());
        await pool.AskAsync<int>("ProcessId");
        await Assert.ThrowsAsync<DeadlineExceededException>(() => pool.AskAsync<int>("Wait", """{"milliseconds":60000}""", new CallRequest { TimeLimit = TimeSpan.FromMilliseconds(100) }));
        using var leaving = new CancellationTokenSource(100);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pool.AskAsync<int>("Wait", """{"milliseconds":60000}""", new CallRequest { CancellationToken = leaving.Token }));
        Assert.True(await ProcFiles.EventuallyAsync(() => Read("weir.pool.calls cancelled") == 1, TimeSpan.FromSeconds(60)));
        Assert.Equal((1, 1), (Read("weir.pool.calls deadline_exceeded"), Read("weir.pool.calls ok")));
    }

    private void Listen(IMeterFactory factory)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Weir" && instrument.Meter.Scope == factory)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            // Other pools of the application stand still.
            if (tags is [{ Value: "controlled" }, ..])
            {
                _counts[string.Join(' ', tags[1..].ToArray().Select(static tag => $"{tag.Value}").Prepend(instrument.Name))] = value;
            }
        });
        _listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => _counts.AddOrUpdate(string.Join(' ', tags[1..].ToArray().Select(static tag => $"{tag.Value}").Prepend(instrument.Name)), 1, static (_, count) => count + 1));
        _listener.Start();
    }

    private long Read(string name)
    {
        _listener.RecordObservableInstruments();
        return _counts[name];
    }
}
