using System.Diagnostics;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Pools with options that are not the defaults; the lab looks at their workers from outside.</summary>
internal sealed class WeirControlsProgram : ContenderProgram
{
    private ControlledPool? _pool;

    private ControlledPool Pool => _pool ?? throw new InvalidOperationException("There is no pool: open one.");

    public override async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => request.Verb switch
    {
        "limited" => await OpenAsync(options => Limit(options, request)),
        "grouped" => await OpenAsync(Group),
        "apart" => await OpenAsync(options => options.ControlGroup = ControlGroupUse.Always),
        "together" => await OpenAsync(options => options.ControlGroup = ControlGroupUse.Never),
        "leaking" => await LeakAsync(request),
        "soft" => await SoftAsync(),
        "counts" => await ControlCounts.ReadAsync(),
        "times" => await ControlTimes.ReadAsync(),
        _ => await base.LinesAsync(request),
    };

    public override async ValueTask DisposeAsync()
    {
        if (_pool is not null)
            await _pool.DisposeAsync();
        await base.DisposeAsync();
    }

    private static void Limit(PoolOptions options, ControlLine request)
    {
        options.MemoryLimitBytes = (long)Asked.MemoryMegabytes << 20;
        options.Priority = ProcessPriorityClass.Idle;
        options.Processors = [request.Int("processor")];
        options.OomScoreAdjustment = Asked.OomScoreAdjustment;
        options.InheritedVariables = [Asked.Inherited];
        options.EnvironmentVariables[Asked.Given] = "given";
        options.WorkingDirectory = request["folder"];
    }

    private static void Group(PoolOptions options)
    {
        options.MemoryLimitBytes = (long)Asked.MemoryMegabytes << 20;
        options.ProcessLimit = Asked.Processes;
        options.CpuLimit = Asked.Cpus;
    }

    // Instead of the one before, if any; the worker that answers is the one to look at.
    private async Task<IEnumerable<ControlLine>> OpenAsync(Action<PoolOptions> configure)
    {
        if (_pool is not null)
            await _pool.DisposeAsync();
        _pool = new ControlledPool(configure);
        return [new ControlLine("ok").With("pid", await Pool.Client.ProcessId())];
    }

    // Workers that hold much memory, and exit when there are no calls.
    private async Task<IEnumerable<ControlLine>> LeakAsync(ControlLine request)
    {
        await OpenAsync(options =>
        {
            options.MinWorkers = 0;
            options.MaxWorkers = request.Int("workers");
            options.IdleTimeout = TimeSpan.FromMilliseconds(request.Int("idle"));
        });
        await Task.WhenAll(Enumerable.Range(0, 4 * request.Int("workers")).Select(_ => Pool.Client.Leak(request.Int("megabytes")).AsTask()));
        return [Readings.Done()];
    }

    // A worker that holds too much after its call is replaced; it is looked at once a second at most.
    private async Task<IEnumerable<ControlLine>> SoftAsync()
    {
        await OpenAsync(options => options.MemorySoftLimitBytes = (long)Asked.SoftMegabytes << 20);
        var modest = await Pool.Client.Leak(1);
        await Task.Delay(1_100);
        var first = await Pool.Client.Leak(2 * Asked.SoftMegabytes);
        await ControlledPool.UntilGoneAsync(Clock.Now, first);
        return
        [
            Readings.Reading("below: replaced", modest == first ? 0 : 1, ""),
            Readings.Reading("above: replaced", await Pool.Client.ProcessId() == first ? 0 : 1, ""),
            Readings.Done(),
        ];
    }
}
