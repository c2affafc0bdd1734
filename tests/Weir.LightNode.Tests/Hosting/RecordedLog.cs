using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Weir.LightNode.Tests.Hosting;

/// <summary>Keeps the warnings and errors of an application; bounded by the number of tests.</summary>
internal sealed class RecordedLog : ILoggerProvider
{
    private readonly ConcurrentQueue<string> _lines = [];

    internal IReadOnlyCollection<string> Lines => _lines;

    public ILogger CreateLogger(string categoryName) => new Logger(_lines);

    public void Dispose()
    {
    }

    private sealed class Logger(ConcurrentQueue<string> lines) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            lines.Enqueue($"{logLevel} {eventId.Id} {formatter(state, exception)} {exception?.Message}");
    }
}
