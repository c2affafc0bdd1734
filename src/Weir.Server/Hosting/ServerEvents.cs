using Microsoft.Extensions.Logging;

namespace Weir.Server.Hosting;

/// <summary>Everything the door logs. Numbers are never reused.</summary>
internal static partial class ServerEvents
{
    [LoggerMessage(4201, LogLevel.Error, "{Operation} failed.")]
    internal static partial void OperationFailed(this ILogger log, Exception error, string operation);

    [LoggerMessage(4202, LogLevel.Information, "{Operation}: the caller left before the result (499).")]
    internal static partial void CallerLeft(this ILogger log, string operation);

    [LoggerMessage(4203, LogLevel.Information, "{Operation}: the caller left after {Items} items; its producer stopped {Milliseconds:0.0} ms later.")]
    internal static partial void StreamStopped(this ILogger log, string operation, long items, double milliseconds);

    [LoggerMessage(4204, LogLevel.Warning, "{Operation}: the reader took nothing for {Timeout} after {Items} items, so the stream was aborted; WeirServerOptions.ReaderStallTimeout sets how long it may take. See " + WeirCodes.ReaderStalled + ".")]
    internal static partial void ReaderStalled(this ILogger log, string operation, long items, TimeSpan timeout);
}
