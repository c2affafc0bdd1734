using Microsoft.Extensions.Logging;

namespace Weir.Execution.Diagnostics;

/// <summary>The log messages of a pool itself.</summary>
internal static partial class PoolLog
{
    [LoggerMessage(4301, LogLevel.Information, "Worker {ProcessId} of pool {Pool} is ready after {Milliseconds:0} ms: {Limits}.")]
    public static partial void Ready(ILogger logger, string pool, int processId, double milliseconds, AppliedLimits limits);

    [LoggerMessage(4302, LogLevel.Error, "A worker of pool {Pool} (process {ProcessId}) could not be started; it failed in phase '{Phase}': {Detail} Crash report {ReportId}; its last output: {Output}")]
    public static partial void StartFailed(ILogger logger, string pool, int processId, string phase, string detail, string reportId, string output);

    [LoggerMessage(4303, LogLevel.Debug, "Worker {ProcessId} of pool {Pool} exited after {Calls} calls: {Cause}.")]
    public static partial void Exited(ILogger logger, string pool, int processId, long calls, string cause);

    [LoggerMessage(4304, LogLevel.Error, "Worker {ProcessId} of pool {Pool} was lost after {Calls} calls ({ReportId}): {Cause}. {Report}")]
    public static partial void Lost(ILogger logger, string pool, int processId, long calls, string reportId, string cause, CrashReport report);

    [LoggerMessage(4305, LogLevel.Warning, "{Count} lines or log records of workers were dropped: the workers write them faster than the host's loggers handle them.")]
    public static partial void OutputDropped(ILogger logger, long count);

    [LoggerMessage(4307, LogLevel.Warning, "Worker {ProcessId} of pool {Pool} runs without a configured limit, as BestEffort allows: {Missing}")]
    public static partial void LimitMissing(ILogger logger, string pool, int processId, string missing);

    [LoggerMessage(4308, LogLevel.Warning, "Pool {Pool} needs {Wanted} more workers, but the host has no capacity for them: {Bound}. Its calls wait for the workers that it has.")]
    public static partial void NoCapacity(ILogger logger, string pool, int wanted, string bound);

    [LoggerMessage(4309, LogLevel.Error, "PoolOptions.OnCrash of pool {Pool} threw.")]
    public static partial void OnCrashFailed(ILogger logger, Exception exception, string pool);

    [LoggerMessage(4316, LogLevel.Error, "In pool {Pool}, {Work} failed in the host; the pool continues. This is a bug in Weir.")]
    public static partial void CallbackFailed(ILogger logger, Exception exception, string pool, string work);

    [LoggerMessage(4317, LogLevel.Information, "The host and its workers share a limit of {Most} processes and threads (pids.max of the host's control group), and pool {Pool} has no ProcessLimit: a worker that starts threads without a limit can use up all of them. Set ProcessLimit for pools whose code may do that.")]
    public static partial void ProcessLimitShared(ILogger logger, long most, string pool);

    [LoggerMessage(4318, LogLevel.Warning, "The code of this application was changed while it runs (hot reload). The workers of the pools {Pools} run the code that they were started with. Build the application and call WeirRuntime.ReloadAsync() to replace them, or set Weir:RunInline to true while you develop: isolated operations then run in the host, where changes apply at once.")]
    public static partial void WorkersRunOldCode(ILogger logger, string pools);

    [LoggerMessage(4319, LogLevel.Information, "Pool {Pool} has another size: MinWorkers {MinWorkers}, MaxWorkers {MaxWorkers}, QueueLimit {QueueLimit}, IdleTimeout {IdleTimeout}.")]
    public static partial void Resized(ILogger logger, string pool, int minWorkers, int maxWorkers, int queueLimit, TimeSpan? idleTimeout);

    [LoggerMessage(4320, LogLevel.Warning, "The configuration has other values of {Settings}, which are read when the application starts: restart it to apply them. While it runs, only MinWorkers, MaxWorkers, QueueLimit and IdleTimeout of pools change.")]
    public static partial void RestartNeeded(ILogger logger, string settings);

    [LoggerMessage(4321, LogLevel.Error, "The configuration has changed and is not valid; the size of the pools stays as it is. {Problem}")]
    public static partial void ConfigurationNotValid(ILogger logger, string problem);

    [LoggerMessage(4343, LogLevel.Information, "The host and its workers share {Bound} MB of memory (limit of the host's control group). Pools without MemoryLimitBytes: {Pools}. Each of their workers gets a limit of {Limit} MB: {Reserve} MB are kept for the host, the rest is divided among the {Workers} workers that may run together, and 64 MB are added for what a worker maps and does not use. Set MemoryLimitBytes to another limit, or to null for none.")]
    public static partial void MemoryLimitDerived(ILogger logger, long bound, string pools, long limit, long reserve, int workers);

    [LoggerMessage(4344, LogLevel.Warning, "The {Workers} workers that may run together do not fit into the memory that they share with the host ({Bound} MB, limit of the host's control group): at their least limit of 128 MB it has space for {Fitting}. If more of them use much memory at the same time, the whole control group becomes slow, or the kernel kills processes in it. Lower MaxWorkers of the pools or Weir:MaxWorkers, or raise the limit of the control group.")]
    public static partial void WorkersExceedMemory(ILogger logger, int workers, long bound, long fitting);

    [LoggerMessage(4345, LogLevel.Warning, "MemoryLimitBytes of pool {Pool} is {Limit} MB, and its workers share {Bound} MB with the host (limit of the host's control group): a worker can use up the memory of the host before it reaches its limit. Set it to {Most} MB or less.")]
    public static partial void MemoryLimitAboveBound(ILogger logger, string pool, long limit, long bound, long most);

    [LoggerMessage(4347, LogLevel.Warning, "The files that the pools {Pools} share have {Bytes} MB, counted once and not for each worker, and {Free} MB of memory are free (MemAvailable, memory.max). The copy that does not fit is not made, and the workers that need it do not start. Free memory, raise the limit of the control group, or share less.")]
    public static partial void SharedDataExceedsMemory(ILogger logger, string pools, long bytes, long free);

    [LoggerMessage(4346, LogLevel.Error, "The services of pool {Pool}, whose operations run in the host (RunInline, or a debugger), could not be made; it failed in phase '{Phase}'. Its calls fail.")]
    public static partial void InlineStartFailed(ILogger logger, Exception exception, string pool, string phase);

    [LoggerMessage(4315, LogLevel.Information, "{Operation}: its producer in worker {ProcessId} of pool {Pool} stopped {Milliseconds:0.0} ms after the caller cancelled or disconnected.")]
    public static partial void ProducerStopped(ILogger logger, string operation, int processId, string pool, double milliseconds);

    [LoggerMessage(4306, LogLevel.Critical, "The host failed while it managed worker {ProcessId} of pool {Pool}; the worker is ended. This is a bug in Weir.")]
    public static partial void LifetimeFailed(ILogger logger, Exception exception, string pool, int processId);
}
