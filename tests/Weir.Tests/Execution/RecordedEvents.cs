using Microsoft.Extensions.Logging;

namespace Weir.Tests.Execution;

/// <summary>A logger that keeps the number and the text of each event, or throws.</summary>
internal sealed class RecordedEvents : ILogger
{
    public List<(int Id, string Text)> Events { get; } = [];

    /// <summary>What it throws; <c>null</c> keeps the event.</summary>
    public Exception? Failure { get; set; }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (Failure is { } failure)
        {
            throw failure;
        }

        Events.Add((eventId.Id, formatter(state, exception)));
    }
}
