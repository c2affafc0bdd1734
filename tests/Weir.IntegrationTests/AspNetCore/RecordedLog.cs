using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Keeps what the application logs; bounded by the length of a test.</summary>
internal sealed class RecordedLog : ILoggerProvider
{
    private readonly ConcurrentQueue<Line> _lines = [];
    private readonly Channel<Line> _server = Channel.CreateUnbounded<Line>();

    internal sealed record Line(string Category, LogLevel Level, int Event, string Text, Exception? Error)
    {
        /// <summary>The activity in which it was logged; <c>null</c> outside of requests and calls.</summary>
        internal string? Activity { get; init; }

        internal IReadOnlyDictionary<string, object?> Fields { get; init; } = new Dictionary<string, object?>();
    }

    internal IReadOnlyCollection<Line> Lines => _lines;

    /// <summary>The next line that Weir logs of its endpoints: lines of pools come in between at any time.</summary>
    internal async Task<Line> NextAsync(CancellationToken cancellationToken) => await _server.Reader.ReadAsync(cancellationToken);

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void Dispose() => _server.Writer.TryComplete();

    private void Add(Line line)
    {
        _lines.Enqueue(line);
        if (line.Category == "Weir.AspNetCore")
        {
            _server.Writer.TryWrite(line);
        }
    }

    private sealed class Logger(RecordedLog log, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            log.Add(new Line(category, logLevel, eventId.Id, formatter(state, exception), exception)
            {
                Activity = Activity.Current?.Id,
                Fields = (state as IEnumerable<KeyValuePair<string, object?>> ?? []).DistinctBy(static field => field.Key).ToDictionary(),
            });
    }
}
