using System.Collections.Frozen;
using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Inline;
using Weir.Execution.Lanes;

namespace Weir.Execution;

/// <summary>
/// Everything that runs calls in one application: owns the lane and the pools, starts them, and ends them in reverse
/// order. Made by <c>AddWeir</c>; one per application. May be used concurrently.
/// </summary>
public sealed class WeirRuntime : IAsyncDisposable
{
    private readonly Lane _lane;
    private readonly bool _usesLane;

    /// <summary>Puts executors to operations.</summary>
    /// <param name="catalogs">What is served.</param>
    /// <param name="options">Copied.</param>
    /// <param name="services">The application's services.</param>
    /// <exception cref="InvalidOperationException">The options contradict each other (WEIR3002).</exception>
    public WeirRuntime(WeirCatalogs catalogs, WeirOptions options, IServiceProvider services)
    {
        ArgumentNullException.ThrowIfNull(catalogs);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(services);

        var time = services.GetService(typeof(TimeProvider)) as TimeProvider ?? TimeProvider.System;
        var runsInline = options.RunInline ?? Debugger.IsAttached;
        _lane = new Lane(options.Lane, time);

        var inline = new InlineExecutor();
        var lane = new LaneExecutor(_lane);
        var operations = catalogs.Services.SelectMany(static service => service.Operations).ToArray();
        _usesLane = operations.Any(static operation => operation.Placement == Placement.Lane);
        Pipeline = new RoutedPipeline(
            new ExecutorTable(operations.ToFrozenDictionary(
                static operation => operation,
                operation => new ExecutorTable.Row(Choose(operation), new FilterChain(options.Filters, operation)))),
            services.GetRequiredService<IServiceScopeFactory>(),
            time);

        IExecutor Choose(Operation operation) => operation.Placement switch
        {
            Placement.Inline => inline,
            Placement.Lane => lane,
            _ when runsInline => operation is { IsSynchronous: true, ResultKind: ResultKind.Stream } ? lane : inline,
            _ => throw new PlatformNotSupportedException(),
        };
    }

    /// <summary>The way of every call.</summary>
    public CallPipeline Pipeline { get; }

    /// <summary>What the lane looks like now.</summary>
    public LaneSnapshot Lane => _lane.Snapshot();

    /// <summary>Starts what is kept ready: the lane's threads where an operation needs them, and the pools' first workers.</summary>
    public void Start()
    {
        if (_usesLane)
        {
            _lane.StartAhead();
        }
    }

    /// <summary>Takes no more calls, lets those that were accepted end, then ends threads and workers.</summary>
    public async ValueTask DisposeAsync() => await _lane.DisposeAsync();
}
