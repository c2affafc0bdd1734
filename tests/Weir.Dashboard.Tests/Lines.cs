using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Weir.Dashboard.Tests;

/// <summary>Keeps warnings and errors of an application's log.</summary>
internal sealed class Lines : ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<(int Id, string Text)> _entries = [];

    public IReadOnlyCollection<(int Id, string Text)> Entries => _entries;

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
        {
            _entries.Enqueue((eventId.Id, formatter(state, exception)));
        }
    }

    public void Dispose()
    {
    }
}
