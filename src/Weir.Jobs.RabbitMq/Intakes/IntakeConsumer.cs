using RabbitMQ.Client;
using Weir.Jobs.RabbitMq.Messages;

namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>What the client calls with each delivery, one after the other.</summary>
/// <param name="channel">Delivers.</param>
/// <param name="take">Takes a message, and does not wait for what becomes of it.</param>
/// <param name="end">Is called where the broker ends the deliveries.</param>
internal sealed class IntakeConsumer(IChannel channel, Action<IntakeMessage> take, Action<string> end) : AsyncDefaultBasicConsumer(channel)
{
    public override Task HandleBasicDeliverAsync(
        string consumerTag, ulong deliveryTag, bool redelivered, string exchange, string routingKey, IReadOnlyBasicProperties properties, ReadOnlyMemory<byte> body, CancellationToken cancellationToken = default)
    {
        if (properties.Headers?.ContainsKey("x-stream-offset") ?? false)
        {
            // Deliveries of a stream do not go on where acknowledgements ended.
            end("it is a stream; an intake needs a quorum queue or a classic one.");
            return Task.CompletedTask;
        }

        take(new IntakeMessage(deliveryTag, exchange, routingKey, properties, body.ToArray()));
        return Task.CompletedTask;
    }

    public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        end("the broker has ended the deliveries: the queue was deleted, or moves.");
        return base.HandleBasicCancelAsync(consumerTag, cancellationToken);
    }
}
