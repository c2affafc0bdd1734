using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;
using Weir.Dashboard.Actions;
using Weir.Dashboard.Streaming;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Endpoints;

/// <summary>What all endpoints share. Any thread.</summary>
/// <param name="services">The application.</param>
/// <param name="options">What it was set to.</param>
internal sealed class DashboardHost(IServiceProvider services, WeirDashboardOptions options)
{
    private ApplicationReader? _reader;
    private DetailReader? _details;
    private WeirRuntime? _runtime;
    private Ticks? _ticks;
    private OperatorActions? _actions;

    /// <summary>What the application is called.</summary>
    public string Name { get; } = options.Title ?? services.GetRequiredService<IHostEnvironment>().ApplicationName;

    public TimeProvider Time { get; } = services.GetService<TimeProvider>() ?? TimeProvider.System;

    /// <summary>Fires when the application begins to stop: nothing that is shown holds it.</summary>
    public CancellationToken Stopping { get; } = services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;

    public Viewers Viewers { get; } = new(options.Viewers);

    /// <summary>What the application serves.</summary>
    public IReadOnlyList<Endpoint> Endpoints => services.GetRequiredService<EndpointDataSource>().Endpoints;

    public ApplicationReader Reader => _reader ?? throw NotStarted();

    public DetailReader Details => _details ?? throw NotStarted();

    public WeirRuntime Runtime => _runtime ?? throw NotStarted();

    public OperatorActions Actions => _actions ?? throw NotStarted();

    public Recorder Recorder => Runtime.Recorder ?? throw NotStarted();

    public Ticks Ticks => _ticks ?? throw NotStarted();

    /// <summary>Begins to record: before the first request.</summary>
    public void Start()
    {
        _runtime = services.GetRequiredService<WeirRuntime>();
        _reader = _runtime.ReaderOf(Name);
        _details = _runtime.DetailsOf(_reader);
        (Recorder.CancelsCalls, Recorder.KeepsCallers) = (options.ActionPolicy is not null, options.ShowCallers);
        _actions = new OperatorActions(_runtime, services.GetRequiredService<ILoggerFactory>().CreateLogger(AuditEvents.Category));
        _ticks = new Ticks(_reader, Time);
    }

    private static InvalidOperationException NotStarted() => new("The application has not started.");
}
