using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Weir.Execution.Pools.Core;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Processes;

/// <summary>The queue for slow loggers is bounded, whatever a worker sends.</summary>
public sealed class WorkerLogTests
{
    [Fact]
    public async Task Only_the_beginning_of_a_record_as_long_as_a_frame_is_kept()
    {
        using var loggers = new KeepingLoggers();
        var log = new WorkerLog(loggers, "test");
        var flood = new string('x', 300_000);
        log.Record(7, default, new LogPayload(3, 1, 0, flood, flood, flood, flood));
        await log.DisposeAsync();

        var (category, id, text) = Assert.Single(loggers.Records);
        Assert.InRange(category.Length, 1024, 1030);
        Assert.InRange(id.Name!.Length, 1024, 1030);
        Assert.InRange(text.Length, 32 << 10, 33 << 10);
        Assert.EndsWith(" … (worker 7)", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_record_keeps_its_template_values_scopes_exception_and_trace()
    {
        using var loggers = new KeepingLoggers();
        var log = new WorkerLog(loggers, "test");
        var record = new LogPayload(4, 1, 0, "", "App", "took 5 of 2.5", "System.IO.IOException: gone\n   at A.B()") with
        {
            Details = new LogDetails
            {
                Template = "took {Ms} of {Most}",
                Values = [new("Ms", LogValueKind.Integer, "5"), new("Most", LogValueKind.Number, "2.5"), new("Done", LogValueKind.Boolean, "true"), new("By", LogValueKind.Null, ""), new("ProcessId", LogValueKind.Text, "own")],
                Scopes = [new("outer", []), new("order 7", [new("Order", LogValueKind.Text, "7")])],
                TraceId = "0af7651916cd43dd8448eb211c80319c",
                SpanId = "b7ad6b7169203331",
            },
        };
        log.Record(7, default, record);
        await log.DisposeAsync();

        var fields = Assert.Single(loggers.Fields).ToDictionary();
        Assert.Equal("took {Ms} of {Most}", fields["{OriginalFormat}"]);
        Assert.Equal((5L, 2.5, true, null, "own"), (fields["Ms"], fields["Most"], fields["Done"], fields["By"], fields["ProcessId"]));
        Assert.Equal("b7ad6b7169203331", fields["SpanId"]);
        Assert.Equal(["outer", "order 7"], loggers.Scopes.Select(static scope => $"{scope}"));
        Assert.Equal([new("Order", "7")], Assert.IsType<IEnumerable<KeyValuePair<string, object?>>>(loggers.Scopes[1], exactMatch: false));
        Assert.Equal(["0af7651916cd43dd8448eb211c80319c below b7ad6b7169203331"], loggers.Traces);
        var exception = Assert.Single(loggers.Exceptions);
        Assert.Equal(("System.IO.IOException: gone", record.Exception), (exception.Message, exception.ToString()));
        Assert.Equal("took 5 of 2.5 (worker 7)", Assert.Single(loggers.Records).Text);
    }

    [Fact]
    public async Task Errors_are_the_last_to_be_dropped()
    {
        using var mayLog = new ManualResetEventSlim();
        using var loggers = new KeepingLoggers { Before = mayLog.Wait };
        var log = new WorkerLog(loggers, "test");
        for (var i = 0; i < 5000; i++)
        {
            log.Record(7, default, new LogPayload((byte)(i % 10 == 9 ? LogLevel.Error : LogLevel.Information), i, 0, "", "App", "x", ""));
        }

        mayLog.Set();
        await log.DisposeAsync();
        Assert.Equal(500, loggers.Records.Count(static record => record.Id.Id % 10 == 9));
        var dropped = loggers.Fields.Sum(static fields => fields.FirstOrDefault(static field => field.Key == "Count").Value is long count ? count : 0);
        Assert.Equal(5000, loggers.Records.Count(static record => record.Category == "App") + dropped);
    }

    private sealed class KeepingLoggers : ILoggerFactory
    {
        public List<(string Category, EventId Id, string Text)> Records { get; } = [];

        public List<IEnumerable<KeyValuePair<string, object?>>> Fields { get; } = [];

        public List<object> Scopes { get; } = [];

        public List<Exception> Exceptions { get; } = [];

        public List<string> Traces { get; } = [];

        public Action? Before { get; init; }

        public ILogger CreateLogger(string categoryName) => new KeepingLogger(categoryName, this);

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }

    private sealed class KeepingLogger(string category, KeepingLoggers log) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull
        {
            log.Scopes.Add(state);
            return null;
        }

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            log.Before?.Invoke();
            log.Records.Add((category, eventId, formatter(state, exception)));
            log.Fields.Add((IEnumerable<KeyValuePair<string, object?>>)state!);
            if (exception is not null)
            {
                log.Exceptions.Add(exception);
            }

            if (Activity.Current is { } activity)
            {
                log.Traces.Add($"{activity.TraceId} below {activity.ParentSpanId}");
            }
        }
    }
}
