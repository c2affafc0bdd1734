using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

/// <summary>What an application logs.</summary>
internal sealed class LogLines : ILoggerProvider, ILogger
{
    public ConcurrentQueue<(int Event, string Text)> All { get; } = [];

    public ILogger CreateLogger(string categoryName) => this;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => All.Enqueue((eventId.Id, formatter(state, exception)));

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Dispose()
    {
    }
}
