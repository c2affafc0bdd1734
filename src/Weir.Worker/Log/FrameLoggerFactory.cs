using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Weir.Worker.Channels;

namespace Weir.Worker.Log;

/// <summary>Loggers that write into the host's log, by LOG frames. Used concurrently.</summary>
/// <param name="output">Takes the records.</param>
/// <param name="least">The least level the host asked for; <see cref="LogLevel.None"/> for nothing.</param>
internal sealed class FrameLoggerFactory(ControlOutput output, LogLevel least) : ILoggerFactory
{
    // Of all loggers together: a scope holds for every category.
    private readonly LoggerExternalScopeProvider _scopes = new();

    // Bounded by the categories of the application, which are types.
    private readonly ConcurrentDictionary<string, FrameLogger> _loggers = new(StringComparer.Ordinal);

    public ILogger CreateLogger(string categoryName) =>
        _loggers.GetOrAdd(categoryName, static (name, self) => new FrameLogger(name, self.Output, self.Least, self._scopes), this);

    public void AddProvider(ILoggerProvider provider) =>
        throw new NotSupportedException("A worker's log goes to its host; add the provider there, or give the services a logger factory of their own.");

    public void Dispose()
    {
    }

    private ControlOutput Output => output;

    private LogLevel Least => least;
}
