using RabbitMQ.Client;

namespace Weir.Jobs.RabbitMq.Messages;

/// <summary>A message as it was delivered.</summary>
/// <param name="Tag">What acknowledges it on its channel.</param>
/// <param name="Exchange">Where it was published; empty for the default exchange, whose routing keys are names of queues.</param>
/// <param name="RoutingKey">How it was published.</param>
/// <param name="Properties">Its properties and headers.</param>
/// <param name="Body">A copy: the client's buffer is gone after the delivery.</param>
internal sealed record IntakeMessage(ulong Tag, string Exchange, string RoutingKey, IReadOnlyBasicProperties Properties, byte[] Body)
{
    /// <summary>Its id; <c>null</c> for none.</summary>
    public string? Id => Properties.MessageId is { Length: > 0 } id ? id : null;
}
