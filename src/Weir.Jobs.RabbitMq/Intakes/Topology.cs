using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>Declares what an intake needs, or finds out whether it is there.</summary>
internal static class Topology
{
    private const ushort NotFound = 404;

    /// <summary>Declares or checks it.</summary>
    /// <exception cref="InvalidOperationException">The queue or the exchange is missing.</exception>
    public static async Task PrepareAsync(IChannel channel, RabbitMqIntakeOptions options, CancellationToken cancellationToken)
    {
        if (options.DeclareQueue)
        {
            await DeclareAsync(channel, options, cancellationToken);
            return;
        }

        // The default exchange is always there.
        if (options.DeadLetterExchange!.Length > 0)
        {
            await RequireAsync(channel.ExchangeDeclarePassiveAsync(options.DeadLetterExchange, cancellationToken), "exchange", options.DeadLetterExchange, nameof(options.DeadLetterExchange));
        }

        await RequireAsync(channel.QueueDeclarePassiveAsync(options.Queue!, cancellationToken), "queue", options.Queue!, nameof(options.Queue));
    }

    private static async Task DeclareAsync(IChannel channel, RabbitMqIntakeOptions options, CancellationToken cancellationToken)
    {
        var dead = options.DeadLetterExchange!;
        await channel.ExchangeDeclareAsync(dead, ExchangeType.Fanout, durable: true, autoDelete: false, cancellationToken: cancellationToken);
        await channel.QueueDeclareAsync(dead, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" }, cancellationToken: cancellationToken);
        await channel.QueueBindAsync(dead, dead, "", cancellationToken: cancellationToken);

        // What the broker itself gives up, from version 4 on after 20 deliveries, is not lost either.
        await channel.QueueDeclareAsync(
            options.Queue!, durable: true, exclusive: false, autoDelete: false,
            new Dictionary<string, object?> { ["x-queue-type"] = "quorum", ["x-dead-letter-exchange"] = dead, ["x-dead-letter-strategy"] = "at-least-once", ["x-overflow"] = "reject-publish" }, cancellationToken: cancellationToken);
    }

    private static async Task RequireAsync(Task asked, string what, string name, string option)
    {
        try
        {
            await asked;
        }
        catch (OperationInterruptedException failure) when (failure.ShutdownReason?.ReplyCode == NotFound)
        {
            throw new InvalidOperationException($"the broker has no {what} '{name}' ({option}): declare it, or set DeclareQueue.", failure);
        }
    }
}
