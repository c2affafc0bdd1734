using Microsoft.Extensions.Logging;

namespace Weir.Jobs.Diagnostics;

/// <summary>A logger that does not throw: one that cannot write, on the disk that keeps the jobs from being stored for example, is no reason to lose a job's outcome.</summary>
/// <param name="logger">Of the application.</param>
internal sealed class QuietLogger(ILogger logger) : ILogger
{
    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return logger.IsEnabled(logLevel);
        }
        catch (Exception)
        {
            return false;
        }
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            logger.Log(logLevel, eventId, state, exception, formatter);
        }
        catch (Exception)
        {
            // There is no other place to write it to.
        }
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        try
        {
            return logger.BeginScope(state);
        }
        catch (Exception)
        {
            return null;
        }
    }
}
