using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Weir.Dashboard.Tests;

/// <summary>Keeps warnings and errors of an application's log, and what operators do.</summary>
internal sealed class Lines : ILoggerProvider
{
    private readonly ConcurrentQueue<(int Id, string Text)> _entries = [];
    private readonly ConcurrentQueue<string> _audit = [];

    /// <summary>Warnings and errors.</summary>
    public IReadOnlyCollection<(int Id, string Text)> Entries => _entries;

    /// <summary>The lines of <c>Weir.Audit</c>.</summary>
    public IReadOnlyCollection<string> Audit => _audit;

    public ILogger CreateLogger(string categoryName) => new Category(this, categoryName == "Weir.Audit");

    public void Dispose()
    {
    }

    private sealed class Category(Lines lines, bool isAudit) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => isAudit || logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (isAudit)
            {
                lines._audit.Enqueue(formatter(state, exception));
            }

            if (logLevel >= LogLevel.Warning)
            {
                lines._entries.Enqueue((eventId.Id, formatter(state, exception)));
            }
        }
    }
}
