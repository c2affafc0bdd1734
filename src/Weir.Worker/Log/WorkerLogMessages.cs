using Microsoft.Extensions.Logging;

namespace Weir.Worker.Log;

/// <summary>Log messages of the worker itself.</summary>
internal static partial class WorkerLogMessages
{
    public const string Category = "Weir.Worker";

    [LoggerMessage(4101, LogLevel.Warning, "A callback on the cancellation of call {CallId} ({Operation}) threw.")]
    public static partial void CancellationCallbackFailed(ILogger logger, Exception exception, ulong callId, string operation);

    [LoggerMessage(4102, LogLevel.Warning, "Call {CallId} ({Operation}) had failed already when disposing its instance or stream threw.")]
    public static partial void DisposeFailed(ILogger logger, Exception exception, ulong callId, string operation);

    [LoggerMessage(4103, LogLevel.Warning, "The services of {Assembly} threw while they were disposed at the end of a drain.")]
    public static partial void ServicesDisposeFailed(ILogger logger, Exception exception, string assembly);

    [LoggerMessage(4104, LogLevel.Warning, "Call {CallId} ({Operation}) has the culture '{Culture}' and the UI culture '{UICulture}', which this worker does not know: it runs in the worker's own. Later calls are not reported.")]
    public static partial void CultureUnknown(ILogger logger, Exception exception, ulong callId, string operation, string culture, string uiCulture);
}
