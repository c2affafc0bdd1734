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

    private SleepingThreads? _threads;
    private WeirSleepers? _lane;
    private Func<int, Task> _start = milliseconds => Task.Run(() => Sleeping.Bio(milliseconds));

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

    /// <summary><c>tasks</c> of <c>ms</c>: per second, the most threads seen, the most memory.</summary>
    public override async Task RunAsync(ControlLine request, Round round)
    {
        var tasks = new Task[request.Int("tasks")];
        var milliseconds = request.Int("ms");
        using var threads = new ThreadPeak();
        var began = Clock.Now;
        for (var i = 0; i < tasks.Length; i++)
            tasks[i] = _start(milliseconds);
        await Task.WhenAll(tasks);

        round.AddRate("tasks/s", tasks.Length, Clock.SecondsSince(began))
            .Add("threads", threads.Most, "")
            .Add("peak memory", new ProcessMeter(Environment.ProcessId).PeakResident / 1e6, "MB");
    }

    public override async Task<ControlLine> AskAsync(ControlLine request)
    {
        await _start(1);
        return new ControlLine("ok").With("answer", Sleeping.Bio(1));
    }

    public override async ValueTask DisposeAsync()
    {
        _threads?.Dispose();
        if (_lane is not null)
            await _lane.DisposeAsync();
        await base.DisposeAsync();
    }
}
