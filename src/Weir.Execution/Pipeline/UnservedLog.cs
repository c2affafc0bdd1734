using Microsoft.Extensions.Logging;

namespace Weir.Execution.Pipeline;

/// <summary>The log messages about calls that were not served.</summary>
internal static partial class UnservedLog
{
    [LoggerMessage(4322, LogLevel.Warning, "Pool {Pool} did not serve {Calls} calls in {Seconds:0} s: {Reasons}.")]
    public static partial void OfPool(ILogger logger, string pool, long calls, double seconds, string reasons);

    [LoggerMessage(4323, LogLevel.Warning, "The lane did not serve {Calls} calls in {Seconds:0} s: {Reasons}.")]
    public static partial void OfLane(ILogger logger, long calls, double seconds, string reasons);
}
