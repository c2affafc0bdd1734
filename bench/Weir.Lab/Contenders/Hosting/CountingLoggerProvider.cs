using Microsoft.Extensions.Logging;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Hosting;

/// <summary>Counts what is logged at information and above by the application or Weir, and writes nothing.</summary>
internal sealed class CountingLoggerProvider : ILoggerProvider
{
    public ILogger CreateLogger(string categoryName) => new CountingLogger(!categoryName.StartsWith("Microsoft.", StringComparison.Ordinal));

    public void Dispose()
    {
    }

    private sealed class CountingLogger(bool counts) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => counts && logLevel >= LogLevel.Information;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
                Production.Logged(formatter(state, exception));
        }
    }
}
