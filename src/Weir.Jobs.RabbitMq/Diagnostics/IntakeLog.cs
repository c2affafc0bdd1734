using Microsoft.Extensions.Logging;
using Weir.Jobs.Diagnostics;

namespace Weir.Jobs.RabbitMq.Diagnostics;

/// <summary>The log messages of intakes, in the category <c>Weir.Jobs.RabbitMq</c>.</summary>
internal sealed partial class IntakeLog(ILogger target)
{
    // One that throws is no reason to lose a message.
    private readonly ILogger _logger = new QuietLogger(target);

    public void Refused(string queue, string? messageId, string reason) => Refused(_logger, messageId, queue, reason);

    public void NotTaken(string queue, string reason, Exception? failure) => NotTaken(_logger, failure, queue, reason);

    public void Held(string queue, Exception failure) => Held(_logger, failure, queue);

    [LoggerMessage(4541, LogLevel.Information, "Messages of the queue {Queue} at {Broker} become jobs.")]
    public partial void Connected(string queue, string? broker);

    [LoggerMessage(4546, LogLevel.Information, "Messages of the queue {Queue} are not taken, because this application accepts no jobs (Weir:Jobs:Accept is false): they stay in the queue.")]
    public partial void NotAccepted(string queue);

    [LoggerMessage(4545, LogLevel.Warning, "{Messages} messages of the queue {Queue} were not stored before the host stopped: they are in the queue again.")]
    public partial void LeftBehind(int messages, string queue);

    [LoggerMessage(4542, LogLevel.Warning, "Messages of the queue {Queue} are not taken: {Reason} It is tried again.")]
    private static partial void NotTaken(ILogger logger, Exception? exception, string queue, string reason);

    [LoggerMessage(4543, LogLevel.Warning, "The message {MessageId} of the queue {Queue} went to the dead letters: {Reason}")]
    private static partial void Refused(ILogger logger, string? messageId, string queue, string reason);

    [LoggerMessage(4544, LogLevel.Warning, "Messages of the queue {Queue} wait, unacknowledged: they are tried again.")]
    private static partial void Held(ILogger logger, Exception exception, string queue);
}
