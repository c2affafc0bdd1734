using Microsoft.Extensions.Logging;

namespace Weir.AspNetCore.Endpoints;

/// <summary>All log events of the HTTP entry point. Numbers are never reused.</summary>
internal static partial class ServerEvents
{
    [LoggerMessage(4201, LogLevel.Error, "{Operation} failed.")]
    internal static partial void OperationFailed(this ILogger log, Exception error, string operation);

    [LoggerMessage(4202, LogLevel.Information, "{Operation}: the caller disconnected before the result (499).")]
    internal static partial void CallerDisconnected(this ILogger log, string operation);

    [LoggerMessage(4203, LogLevel.Information, "{Operation}: the caller disconnected after {Items} items; {What} stopped {Milliseconds:0.0} ms later.")]
    internal static partial void StreamStopped(this ILogger log, string operation, long items, string what, double milliseconds);

    [LoggerMessage(4204, LogLevel.Warning, "{Operation}: the reader read nothing for {Timeout} after {Items} items, so the stream was aborted; WeirServerOptions.ReaderStallTimeout sets this limit. See " + WeirCodes.ReaderStalled + ".")]
    internal static partial void ReaderStalled(this ILogger log, string operation, long items, TimeSpan timeout);

    [LoggerMessage(4205, LogLevel.Information, "{Operation}: the request timeout of the application passed before the result.")]
    internal static partial void RequestTimedOut(this ILogger log, string operation);

    [LoggerMessage(4206, LogLevel.Information, "{Operation}: the request timeout of the application passed after {Items} items, so the stream was cancelled; {What} stopped {Milliseconds:0.0} ms later.")]
    internal static partial void StreamTimedOut(this ILogger log, string operation, long items, string what, double milliseconds);

    [LoggerMessage(4207, LogLevel.Information, "{Operation}: the host is shutting down, so the stream was cancelled after {Items} items; {What} stopped {Milliseconds:0.0} ms later. HostOptions.ShutdownTimeout sets how long streams may still run.")]
    internal static partial void StreamShutDown(this ILogger log, string operation, long items, string what, double milliseconds);

    [LoggerMessage(4208, LogLevel.Error, "A callback that an operation registered with its cancellation token failed while the host was shutting down.")]
    internal static partial void ShutdownCutFailed(this ILogger log, Exception failure);

    [LoggerMessage(4209, LogLevel.Information, "{Operation}: the host is shutting down, so the reader was asked after {Items} items to continue elsewhere; {What} stopped {Milliseconds:0.0} ms later.")]
    internal static partial void StreamMoved(this ILogger log, string operation, long items, string what, double milliseconds);

    [LoggerMessage(4210, LogLevel.Information, "{Operation}: the reader disconnected after {Items} items; the stream is kept for {Window}, which WeirServerOptions.ResumeWindow sets.")]
    internal static partial void ReaderLeft(this ILogger log, string operation, long items, TimeSpan window);

    [LoggerMessage(4211, LogLevel.Information, "{Operation}: the reader connected again, so its earlier connection was closed after {Items} items.")]
    internal static partial void ReaderDisplaced(this ILogger log, string operation, long items);

    [LoggerMessage(4230, LogLevel.Error, "{Operation} failed, and an exception handler of the application failed with it; the problem of Weir is sent.")]
    internal static partial void ExceptionHandlerFailed(this ILogger log, Exception failure, string operation);

    [LoggerMessage(4231, LogLevel.Information, "The serializer reads and writes all JSON over HTTP, because ConfigureHttpJsonOptions sets {Settings}; generated code, which is faster, is used without these settings. See docs/guide/json.md.")]
    internal static partial void SerializerReplacesGeneratedCode(this ILogger log, string settings);

    [LoggerMessage(4220, LogLevel.Warning, "{Operations}: {Attribute} has no effect, because {Registration} was not called on the services; call it, and {Middleware} on the application. See " + WeirCodes.PolicyServicesMissing + ".")]
    internal static partial void PolicyIgnored(this ILogger log, string operations, string attribute, string registration, string middleware);
}
