using Microsoft.Extensions.Logging;

namespace Weir.Execution.Processes;

/// <summary>What a pool itself has to say.</summary>
internal static partial class PoolLog
{
    [LoggerMessage(4301, LogLevel.Information, "Worker {ProcessId} of pool {Pool} is ready after {Milliseconds:0} ms.")]
    public static partial void Ready(ILogger logger, string pool, int processId, double milliseconds);

    [LoggerMessage(4302, LogLevel.Error, "A worker of pool {Pool} (process {ProcessId}) could not be started; it failed in phase '{Phase}': {Detail} It printed last: {Output}")]
    public static partial void StartFailed(ILogger logger, string pool, int processId, string phase, string detail, string output);

    [LoggerMessage(4303, LogLevel.Debug, "Worker {ProcessId} of pool {Pool} left after {Calls} calls: {Cause}.")]
    public static partial void Left(ILogger logger, string pool, int processId, long calls, string cause);

    [LoggerMessage(4304, LogLevel.Warning, "Worker {ProcessId} of pool {Pool} was lost after {Calls} calls: {Cause}. It printed last: {Output}")]
    public static partial void Lost(ILogger logger, string pool, int processId, long calls, string cause, string output);

    [LoggerMessage(4305, LogLevel.Warning, "{Count} lines or records of workers were dropped: the host's loggers are slower than they come.")]
    public static partial void OutputDropped(ILogger logger, long count);

    [LoggerMessage(4306, LogLevel.Critical, "The life of worker {ProcessId} of pool {Pool} failed in the host; the worker is ended. This is a fault of Weir.")]
    public static partial void LifeFailed(ILogger logger, Exception exception, string pool, int processId);
}
