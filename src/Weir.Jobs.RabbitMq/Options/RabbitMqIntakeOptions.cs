using RabbitMQ.Client;

namespace Weir;

/// <summary>Where the messages of one queue come from, and how they become jobs. Read and checked when the application starts: a value that is not valid keeps it from starting (WEIR3002).</summary>
public sealed class RabbitMqIntakeOptions
{
    /// <summary>
    /// The broker: <c>amqp://user:password@host:5672/vhost</c>, or <c>amqps://</c> for TLS. Required. It need not run when the application starts: the connection is tried again until it is there, after 0.2 s to 5 s.
    /// </summary>
    public string? Uri { get; set; }

    /// <summary>The queue whose messages become jobs, 1 to 255 bytes. Required. A quorum queue, or a classic one, which its broker may lose; not a stream.</summary>
    public string? Queue { get; set; }

    /// <summary>
    /// The exchange that messages which cannot become jobs are published to, with the reason in the header <c>weir-reason</c>; at most 255 bytes. Required, so that none is lost. A queue must be bound to it: without one such a message stays in
    /// <see cref="Queue"/>, and the health check says so. Empty stands for the broker's default exchange, and needs <see cref="DeadLetterRoutingKey"/>.
    /// </summary>
    public string? DeadLetterExchange { get; set; }

    /// <summary>The routing key of messages that are published to <see cref="DeadLetterExchange"/>, at most 255 bytes; <c>null</c>, the default, for the one that a message came with.</summary>
    public string? DeadLetterRoutingKey { get; set; }

    /// <summary>
    /// How many messages the broker delivers before the first of them is acknowledged, 1 to 256; default 64. So many are stored in one commit, and so many, with their bodies, this process holds at most.
    /// </summary>
    public int Prefetch { get; set; } = 64;

    /// <summary>
    /// The kind of all jobs of this queue, as the store calls it (<c>Reports/Build</c>): for publishers that know nothing of kinds. A message with the header <c>weir-kind</c> and another kind is refused. <c>null</c>, the default: the header names the kind, and without
    /// it the routing key.
    /// </summary>
    public string? Kind { get; set; }

    /// <summary>
    /// Whether a message without a message id is refused; default <c>true</c>: the id is the idempotency key of its job, and without it a message that is delivered twice is two jobs. <c>false</c>: such messages become jobs all the same, perhaps more than one.
    /// </summary>
    public bool RequireMessageId { get; set; } = true;

    /// <summary>Whether a message with an argument that its operation does not have is refused; default <c>true</c>. <c>false</c>: the argument is ignored.</summary>
    public bool RefuseUnknownArguments { get; set; } = true;

    /// <summary>
    /// Whether to declare what is needed; default <c>false</c>: queue and exchange must be there. <c>true</c>: <see cref="Queue"/> is declared as a durable quorum queue, <see cref="DeadLetterExchange"/> as a durable exchange of the type fanout, with a quorum queue of the same name
    /// bound to it. What exists with other arguments is left as it is, and no message is taken: the health check says why.
    /// </summary>
    public bool DeclareQueue { get; set; }

    /// <summary>
    /// Changes how connections are made, after <see cref="Uri"/> was applied: certificates, heartbeats, the nodes of a cluster (<see cref="ConnectionFactory.EndpointResolverFactory"/>). Called once for each connection. The client's own recovery stays off: the intake connects again
    /// itself. <c>null</c>, the default, for nothing.
    /// </summary>
    public Action<ConnectionFactory>? ConfigureConnection { get; set; }
}
