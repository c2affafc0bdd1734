using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Weir.IntegrationTests.Faults;

/// <summary>Keeps what was logged, with its category; holds at most 200,000 records.</summary>
internal sealed class CollectedLog : ILoggerFactory
{
    private readonly ConcurrentQueue<(string Category, LogLevel Level, string Text)> _records = new();

    internal IEnumerable<(string Category, LogLevel Level, string Text)> Records => _records;

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    private sealed class Logger(CollectedLog log, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (log._records.Count < 200_000)
            {
                log._records.Enqueue((category, logLevel, formatter(state, exception)));
            }
        }
    }
}
