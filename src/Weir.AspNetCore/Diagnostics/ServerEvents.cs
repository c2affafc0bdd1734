using Microsoft.Extensions.Logging;

namespace Weir.AspNetCore.Diagnostics;

/// <summary>All log events of the HTTP entry point. Numbers are never reused.</summary>
internal static partial class ServerEvents
{
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

    [LoggerMessage(4212, LogLevel.Error, "{Operation} failed with {Status} {Code}, because of a worker (crash report {ReportId}). {Reason}")]
    internal static partial void WorkerLost(this ILogger log, string operation, int status, string code, string reportId, string reason);

    [LoggerMessage(4213, LogLevel.Information, "{Operation} was answered with {Status} {Code}. {Reason}")]
    internal static partial void CallNotServed(this ILogger log, string operation, int status, string code, string reason);

    [LoggerMessage(4214, LogLevel.Information, "{Operation}: a client has another contract of it and was refused (412, " + WeirCodes.ContractChanged + "); here it has the signature {Signature}, and the client knows {Known}. {Others} more were refused since the last such line.")]
    internal static partial void ContractRefused(this ILogger log, string operation, string signature, string known, long others);

    [LoggerMessage(4215, LogLevel.Information, "The host is shutting down and waits for {Waits}; {Seconds:0} s of HostOptions.ShutdownTimeout ({Timeout}) have passed.")]
    internal static partial void ShutdownWaits(this ILogger log, string waits, double seconds, TimeSpan timeout);

    [LoggerMessage(4238, LogLevel.Warning, "{Operation}: streams with readers use up WeirServerOptions.ResumeMemoryLimit, which is {Limit} bytes, so the stream began as an ordinary one, which a cut ends; raise the limit, or lower ResumeBufferSize. Others within 10 s are not logged. See " + WeirCodes.ResumeMemoryFull + ".")]
    internal static partial void ResumeMemoryFull(this ILogger log, string operation, long limit);

    [LoggerMessage(4230, LogLevel.Error, "{Operation} failed, and an exception handler of the application failed with it; the problem of Weir is sent.")]
    internal static partial void ExceptionHandlerFailed(this ILogger log, Exception failure, string operation);

    [LoggerMessage(4240, LogLevel.Error, "{Operation}: a form was not stored. A part of a form that is larger than 64 KB waits in a file, in the folder that the environment variable ASPNETCORE_TEMP names, otherwise in the system's folder for temporary files: it must exist, be writable and have space.")]
    internal static partial void FormNotStored(this ILogger log, Exception failure, string operation);

    [LoggerMessage(4243, LogLevel.Warning, "{Map} serves {Content} at '{Endpoint}' to everyone who is authenticated: RequireAuthorization has no policy there. Name a policy that only operators pass.")]
    internal static partial void OpenToAuthenticated(this ILogger log, string map, string content, string? endpoint);

    [LoggerMessage(4241, LogLevel.Error, "A problem ({Code}) could not be written by the application's IProblemDetailsService, so the problem of Weir is sent.")]
    internal static partial void ProblemServiceFailed(this ILogger log, Exception failure, string code);

    [LoggerMessage(4231, LogLevel.Information, "The serializer reads and writes all JSON over HTTP, because ConfigureHttpJsonOptions sets {Settings}; generated code, which is faster, is used without these settings. See docs/guide/json.md.")]
    internal static partial void SerializerReplacesGeneratedCode(this ILogger log, string settings);

    [LoggerMessage(4232, LogLevel.Information, "{Class} implements the contract {Contract} and is not marked [Service], so nothing serves it. See " + WeirCodes.ContractNotServed + ".")]
    internal static partial void ContractNotServed(this ILogger log, string @class, string contract);

    [LoggerMessage(4220, LogLevel.Warning, "{Operations}: {Attribute} has no effect, because {Registration} was not called on the services; call it, and {Middleware} on the application. See " + WeirCodes.PolicyServicesMissing + ".")]
    internal static partial void PolicyIgnored(this ILogger log, string operations, string attribute, string registration, string middleware);

    // FailureLog calls it, and never fails. The name of the method is the name of the event.
    [LoggerMessage(4201, LogLevel.Error, "{Operation} failed ({Status}, {Code}).")]
    internal static partial void LogOperationFailed(ILogger log, Exception error, string operation, int status, string code);
}
