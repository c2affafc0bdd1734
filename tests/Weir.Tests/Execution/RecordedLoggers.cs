using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Weir.Tests.Execution;

/// <summary>Keeps what is logged in all categories, from any thread.</summary>
internal sealed class RecordedLoggers : ILoggerFactory, ILogger
{
    public ConcurrentQueue<(LogLevel Level, int Id, string Text)> Records { get; } = new();

    public string[] Texts => [.. Records.Select(static record => record.Text)];

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        Records.Enqueue((logLevel, eventId.Id, formatter(state, exception)));
}
