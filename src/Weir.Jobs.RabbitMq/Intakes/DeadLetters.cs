using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Weir.Jobs.RabbitMq.Messages;

namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>Publishes messages that cannot become jobs, with the reason, and knows that the broker has them. Any thread; one after the other.</summary>
/// <param name="connection">Has a channel for it, made with the first of them.</param>
/// <param name="options">Of the queue.</param>
internal sealed class DeadLetters(IConnection connection, RabbitMqIntakeOptions options) : IAsyncDisposable
{
    // Characters. Headers have to fit into one frame, and this is enough for a dozen binding errors.
    private const int MostReason = 2_000;

    // The first two would send a copy to other queues; the others are of an earlier delivery.
    private static readonly string[] NotCopied = ["CC", "BCC", "x-delivery-count", "x-dotnet-pub-seq-no"];

    private readonly SemaphoreSlim _gate = new(1, 1);
    private IChannel? _channel;

    /// <summary>Publishes a message as it is, with the reason, and waits until the broker has confirmed that a queue has it.</summary>
    /// <param name="message">The message.</param>
    /// <param name="kind">What names its kind; <c>null</c> where nothing does.</param>
    /// <param name="reason">Why it cannot become a job.</param>
    /// <param name="cancellationToken">Ends the wait: the message may be there or not.</param>
    /// <exception cref="InvalidOperationException">No queue is bound for it.</exception>
    /// <exception cref="Exception">It was not confirmed.</exception>
    public async Task PublishAsync(IntakeMessage message, string? kind, string reason, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_channel is not { IsOpen: true })
            {
                // A wrong exchange closes its channel.
                await CloseAsync();
                _channel = await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true), cancellationToken);
            }

            await _channel.BasicPublishAsync(
                options.DeadLetterExchange!, options.DeadLetterRoutingKey ?? message.RoutingKey, mandatory: true, Properties(message.Properties, kind, reason), message.Body, cancellationToken);
        }
        catch (PublishException failure) when (failure.IsReturn)
        {
            throw new InvalidOperationException($"no queue is bound to the exchange '{options.DeadLetterExchange}' (DeadLetterExchange) for its routing key: bind one.", failure);
        }
        finally
        {
            _gate.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        _gate.Dispose();
    }

    // It outlives its expiry, and is published by another user.
    private BasicProperties Properties(IReadOnlyBasicProperties from, string? kind, string reason)
    {
        var properties = new BasicProperties { DeliveryMode = DeliveryModes.Persistent, Headers = Headers(from.Headers, kind, reason) };
        Copy(from.IsAppIdPresent(), from.AppId, value => properties.AppId = value);
        Copy(from.IsContentEncodingPresent(), from.ContentEncoding, value => properties.ContentEncoding = value);
        Copy(from.IsContentTypePresent(), from.ContentType, value => properties.ContentType = value);
        Copy(from.IsCorrelationIdPresent(), from.CorrelationId, value => properties.CorrelationId = value);
        Copy(from.IsMessageIdPresent(), from.MessageId, value => properties.MessageId = value);
        Copy(from.IsPriorityPresent(), from.Priority, value => properties.Priority = value);
        Copy(from.IsReplyToPresent(), from.ReplyTo, value => properties.ReplyTo = value);
        Copy(from.IsTimestampPresent(), from.Timestamp, value => properties.Timestamp = value);
        Copy(from.IsTypePresent(), from.Type, value => properties.Type = value);
        return properties;
    }

    private Dictionary<string, object?> Headers(IDictionary<string, object?>? from, string? kind, string reason)
    {
        var headers = new Dictionary<string, object?>();
        foreach (var (name, value) in from ?? new Dictionary<string, object?>())
        {
            if (!NotCopied.Contains(name))
            {
                headers[name] = value;
            }
        }

        headers[MessageHeaders.Reason] = reason.Length > MostReason ? reason[..MostReason] : reason;
        headers[MessageHeaders.Queue] = options.Queue;
        if (kind is not null)
        {
            // Put back through another exchange, it has another routing key.
            headers.TryAdd(MessageHeaders.Kind, kind);
        }

        return headers;
    }

    private static void Copy<T>(bool isPresent, T? value, Action<T> set)
    {
        if (isPresent)
        {
            set(value!);
        }
    }

    private async Task CloseAsync()
    {
        if (_channel is not null)
        {
            await _channel.DisposeAsync();
            _channel = null;
        }
    }
}
