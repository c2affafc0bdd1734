using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Weir.IntegrationTests.Pools;

/// <summary>What was logged, up to a number of records.</summary>
internal sealed class RecordedLog : ILoggerFactory
{
    private const int MostKept = 10_000;

    private readonly LoggerExternalScopeProvider _scopes = new();

    public ConcurrentQueue<(string Category, LogLevel Level, EventId Id, string Text, IReadOnlyDictionary<string, object?> Fields, IReadOnlyList<object> Scopes)> Records { get; } = new();

    public Action? OnRecord { get; init; }

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    private sealed class Logger(RecordedLog log, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => log._scopes.Push(state);

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Debug;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            log.OnRecord?.Invoke();
            if (log.Records.Count < MostKept)
            {
                var scopes = new List<object>();
                log._scopes.ForEachScope(static (scope, all) => all.Add(scope!), scopes);
                var fields = (state as IEnumerable<KeyValuePair<string, object?>> ?? []).ToDictionary();
                log.Records.Enqueue((category, logLevel, eventId, exception is null ? formatter(state, exception) : $"{formatter(state, exception)}{Environment.NewLine}{exception}", fields, scopes));
            }
        }
    }
}
