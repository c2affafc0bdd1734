using Microsoft.Extensions.Logging;
using Weir.Protocol.Payloads;
using Weir.Worker.Channels;

namespace Weir.Worker.Log;

/// <summary>The logger of one category. Message, values and scopes become text on the logging thread; only text waits for the host.</summary>
internal sealed class FrameLogger(string category, ControlOutput output, LogLevel least, IExternalScopeProvider scopes) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => scopes.Push(state);

    public bool IsEnabled(LogLevel logLevel) => logLevel >= least && logLevel is >= LogLevel.Trace and < LogLevel.None;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
        {
            return;
        }

        var record = new LogPayload((byte)logLevel, eventId.Id, 0, eventId.Name ?? "", category, formatter(state, exception), exception is null ? "" : ExceptionText.Whole(exception))
        {
            Details = LogCapture.Of(state, scopes),
        };
        output.Log(record, CurrentCall.Id);
    }
}
