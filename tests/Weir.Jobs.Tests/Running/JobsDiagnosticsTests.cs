using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Weir.Jobs.Tests.Running;

/// <summary>What meters, spans and the log say of jobs.</summary>
public sealed class JobsDiagnosticsTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Meters_count_what_is_accepted_started_and_ended_and_a_listener_that_throws_harms_nothing()
    {
        var counts = new ConcurrentDictionary<string, long>();
        using var listener = new MeterListener();
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory(), services: static services => services.AddMetrics());
        var factory = host.Get<IMeterFactory>();
        listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Name.StartsWith("weir.job.", StringComparison.Ordinal) && ReferenceEquals(instrument.Meter.Scope, factory))
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            counts.AddOrUpdate($"{instrument.Name} {string.Join(' ', tags.ToArray().Select(static tag => tag.Value))}", value, (_, before) => before + value);
            throw new InvalidOperationException("a listener that throws");
        });
        listener.Start();

        await (await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), cancellationToken: Ct)).ResultAsync(Ct);
        var failing = await host.Reports.EnqueueAsync(reports => reports.Flaky("a", 9), cancellationToken: Ct);
        await failing.WaitAsync(Ct);
        Assert.Equal((1, 1, 1), (counts["weir.job.accepted Reports/Charge"], counts["weir.job.started Reports/Charge"], counts["weir.job.ended Reports/Charge succeeded none"]));
        Assert.Equal((1, 3, 1, 2), (counts["weir.job.accepted Reports/Flaky"], counts["weir.job.started Reports/Flaky"], counts["weir.job.ended Reports/Flaky failed exception"], counts["weir.job.returned Reports/Flaky"]));
    }

    [Fact]
    public async Task An_attempt_is_a_trace_of_its_own_that_is_linked_to_the_submission()
    {
        var spans = new ConcurrentQueue<Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Weir",
            Sample = static (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = spans.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory());
        var job = await host.Reports.EnqueueAsync(reports => reports.Build("traced", 1), cancellationToken: Ct);
        await job.ResultAsync(Ct);
        Activity[] own = [];
        while (own.Length < 2)
        {
            await Task.Delay(5, Ct);
            own = [.. spans.Where(span => Equals(span.GetTagItem("messaging.message.id"), job.Id.ToString()))];
        }

        var send = Assert.Single(own, static span => span.OperationName == "send Reports/Build");
        var process = Assert.Single(own, static span => span.OperationName == "process Reports/Build");
        Assert.Equal((ActivityKind.Producer, ActivityKind.Consumer), (send.Kind, process.Kind));
        Assert.NotEqual(send.TraceId, process.TraceId);
        Assert.Equal(send.SpanId, Assert.Single(process.Links).Context.SpanId);
    }

    [Fact]
    public async Task The_log_names_the_job_of_an_attempt_that_failed()
    {
        var log = new ScopedLog();
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory(), services: services => services.AddSingleton<ILoggerProvider>(log));
        var job = await host.Reports.EnqueueAsync(reports => reports.Refuse("closed"), cancellationToken: Ct);
        await job.WaitAsync(Ct);
        var (line, scope) = Assert.Single(log.Lines, static one => one.Line.StartsWith("4501", StringComparison.Ordinal));
        Assert.Contains($"job {job.Id} of Reports/Refuse", line, StringComparison.Ordinal);
        Assert.Contains(job.Id.ToString(), scope, StringComparison.Ordinal);
    }

    private sealed class ScopedLog : ILoggerProvider, ILogger, ISupportExternalScope
    {
        private IExternalScopeProvider _scopes = new LoggerExternalScopeProvider();

        public ConcurrentQueue<(string Line, string Scope)> Lines { get; } = [];

        public ILogger CreateLogger(string categoryName) => this;

        public void SetScopeProvider(IExternalScopeProvider scopeProvider) => _scopes = scopeProvider;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => _scopes.Push(state);

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            var scope = new List<string>();
            _scopes.ForEachScope(static (one, into) => into.AddRange(one is IEnumerable<KeyValuePair<string, object?>> pairs ? pairs.Select(static pair => $"{pair.Key}={pair.Value}") : []), scope);
            Lines.Enqueue(($"{eventId.Id} {formatter(state, exception)}", string.Join(' ', scope)));
        }

        public void Dispose()
        {
        }
    }
}
