using Microsoft.Extensions.Logging;
using Weir.Protocol.Payloads;
using Weir.Worker.Channels;

namespace Weir.Worker.Log;

/// <summary>The logger of one category. The message is formatted on the logging thread; only formatted text waits for the host.</summary>
internal sealed class FrameLogger(string category, ControlOutput output, LogLevel least) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= least && logLevel is >= LogLevel.Trace and < LogLevel.None;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
        {
            return;
        }

        var record = new LogPayload((byte)logLevel, eventId.Id, 0, eventId.Name ?? "", category, formatter(state, exception), exception is null ? "" : ExceptionText.Whole(exception));
        output.Log(record, CurrentCall.Id);
    }
}
