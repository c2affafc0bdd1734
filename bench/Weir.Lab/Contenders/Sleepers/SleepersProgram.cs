using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Sleepers;

/// <summary>Document 001's console program: many tasks at once that block or await, in one process.</summary>
internal sealed class SleepersProgram : ContenderProgram
{
    private const int FloorThreads = 1024;

    private readonly ProcessMeter _meter = new(Environment.ProcessId);
    private SleepingThreads? _threads;
    private WeirSleepers? _lane;
    private long? _atRest;
    private Func<int, Task<string>> _start = milliseconds => Task.Run(() => Sleeping.Bio(milliseconds));

    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        switch (settings["way"])
        {
            case "raised":
                RaisedMinimum.Set(FloorThreads);
                break;
            case "aio":
                _start = Sleeping.AioAsync;
                break;
            case "weir":
                _lane = new WeirSleepers();
                _start = _lane.RunAsync;
                break;
            case "threads":
                _threads = new SleepingThreads(FloorThreads);
                _start = _threads.RunAsync;
                break;
        }

        return base.StartAsync(settings);
    }

    /// <summary>
    /// <c>batches</c> of <c>tasks</c> of <c>ms</c>: per second, the most threads seen, the most memory without and with mapped files, and how much of it came
    /// with the tasks. A round that is a warm-up says so by <c>rest=1</c>: growth counts from what is resident after it.
    /// </summary>
    public override async Task RunAsync(ControlLine request, Round round)
    {
        var batches = request.Int("batches");
        var tasks = new Task<string>[request.Int("tasks")];
        var milliseconds = request.Int("ms");

        var before = _atRest ?? _meter.Resident;
        _meter.ForgetPeak();
        using var peak = new ProcessPeak();
        var began = Clock.Now;
        for (var batch = 0; batch < batches; batch++)
        {
            for (var i = 0; i < tasks.Length; i++)
                tasks[i] = _start(milliseconds);
            await Task.WhenAll(tasks);
        }

        round.AddRate("tasks/s", (double)tasks.Length * batches, Clock.SecondsSince(began))
            .Add("threads", peak.Threads, "")
            .Add("memory without files", peak.MemoryWithoutFiles / 1e6, "MB")
            .Add("peak memory", _meter.PeakResident / 1e6, "MB")
            .Add("memory growth", (_meter.PeakResident - before) / 1e6, "MB");
        Sleeping.Check(milliseconds, tasks[^1].Result);
        if (request.Is("rest", "1"))
            _atRest = Rested();
    }

    public override async Task<ControlLine> AskAsync(ControlLine request) =>
        new ControlLine("ok").With("answer", await _start(1));

    public override async ValueTask DisposeAsync()
    {
        _threads?.Dispose();
        if (_lane is not null)
            await _lane.DisposeAsync();
        await base.DisposeAsync();
    }

    // The results of the tasks are not needed any more.
    private long Rested()
    {
        GC.Collect();
        return _meter.Resident;
    }
}
