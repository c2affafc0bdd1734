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

    private sealed class KeepingLoggers : ILoggerFactory
    {
        public List<(string Category, EventId Id, string Text)> Records { get; } = [];

        public ILogger CreateLogger(string categoryName) => new KeepingLogger(categoryName, Records);

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }

    private sealed class KeepingLogger(string category, List<(string Category, EventId Id, string Text)> records) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            records.Add((category, eventId, formatter(state, exception)));
    }
}
