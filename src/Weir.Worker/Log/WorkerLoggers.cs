using Microsoft.Extensions.Logging;
using Weir.Worker.Channels;

namespace Weir.Worker.Log;

/// <summary>The loggers of a worker, created on first use: most workers become ready without loading the assembly of loggers.</summary>
/// <param name="output">Takes the records.</param>
/// <param name="least">The least level the host asked for, 0 Trace to 6 none.</param>
internal sealed class WorkerLoggers(ControlOutput output, byte least)
{
    private ILoggerFactory? _factory;
    private ILogger? _own;

    /// <summary>For user code.</summary>
    public ILoggerFactory Factory => _factory ?? Make(ref _factory, new FrameLoggerFactory(output, (LogLevel)least));

    /// <summary>For messages of the worker itself.</summary>
    public ILogger Own => _own ?? Make(ref _own, Factory.CreateLogger(WorkerLogMessages.Category));

    // The first one that is stored is used by all threads.
    private static T Make<T>(ref T? place, T made)
        where T : class => Interlocked.CompareExchange(ref place, made, null) ?? made;
}
