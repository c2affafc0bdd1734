using System.Text;
using RabbitMQ.Client;

namespace Weir.Jobs.RabbitMq.Tests.Broker;

/// <summary>A queue with its dead letters, of its own for one test, and what a publisher and an operator do with it.</summary>
internal sealed class TestQueue : IAsyncDisposable
{
    private readonly RabbitMqServer _server;
    private IConnection? _connection;
    private IChannel? _channel;

    private TestQueue(RabbitMqServer server) => _server = server;

    public string Name { get; } = $"jobs-{Guid.NewGuid():N}";

    public string Dead => $"{Name}-dead";

    /// <summary>What the test of the broker does by itself.</summary>
    public IChannel Channel => _channel!;

    public static async Task<TestQueue> CreateAsync(RabbitMqServer server, bool withoutTopology = false, string type = "quorum")
    {
        var queue = new TestQueue(server);
        await queue.ConnectAsync();
        if (!withoutTopology)
        {
            await queue.DeclareAsync(type);
        }

        return queue;
    }

    public void Configure(RabbitMqIntakeOptions options) => (options.Uri, options.Queue, options.DeadLetterExchange) = (_server.Uri, Name, Dead);

    /// <summary>Connects, and again after the broker was killed.</summary>
    public async Task ConnectAsync()
    {
        await _server.StartAsync();
        await ReconnectAsync();
    }

    /// <summary>Connects to a broker that runs.</summary>
    public async Task ReconnectAsync()
    {
        if (_connection is not null)
        {
            await _connection.DisposeAsync();
        }

        _connection = await _server.ConnectAsync();
        _channel = await _connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true));
    }

    public async Task DeclareAsync(string type = "quorum")
    {
        Dictionary<string, object?> arguments = new() { ["x-queue-type"] = type };
        await Channel.ExchangeDeclareAsync(Dead, ExchangeType.Fanout, durable: true);
        await Channel.QueueDeclareAsync(Dead, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
        await Channel.QueueBindAsync(Dead, Dead, "");
        await Channel.QueueDeclareAsync(Name, durable: true, exclusive: false, autoDelete: false, arguments);
    }

    /// <summary>Publishes a message to the queue, and waits until the broker has it.</summary>
    /// <param name="kind">The header <c>weir-kind</c>.</param>
    /// <param name="json">The body.</param>
    /// <param name="id">The message id; <c>null</c> for none.</param>
    /// <param name="change">Changes the properties.</param>
    public async Task PublishAsync(string? kind, string json, string? id, Action<BasicProperties>? change = null)
    {
        var properties = new BasicProperties { DeliveryMode = DeliveryModes.Persistent, Headers = new Dictionary<string, object?>() };
        if (kind is not null)
        {
            properties.Headers["weir-kind"] = kind;
        }

        if (id is not null)
        {
            properties.MessageId = id;
        }

        change?.Invoke(properties);
        await Channel.BasicPublishAsync("", Name, mandatory: true, properties, Encoding.UTF8.GetBytes(json), TestContext.Current.CancellationToken);
    }

    /// <summary>How many messages wait in it, without those that are delivered and not acknowledged.</summary>
    public async Task<uint> CountAsync() => await Channel.MessageCountAsync(Name, TestContext.Current.CancellationToken);

    /// <summary>Takes the next dead letter, as soon as there is one.</summary>
    public async Task<BasicGetResult> TakeDeadAsync()
    {
        BasicGetResult? taken = null;
        await Until.TrueAsync(async () => (taken = await Channel.BasicGetAsync(Dead, autoAck: true)) is not null);
        return taken!;
    }

    /// <summary>Waits until every message is acknowledged: none waits, and none comes back when nothing reads the queue.</summary>
    public Task WhenEmptyAsync() => Until.TrueAsync(async () => await CountAsync() == 0);

    public async ValueTask DisposeAsync()
    {
        try
        {
            // A test may have closed the channel by what it did.
            await using var channel = await _connection!.CreateChannelAsync();
            await channel.QueueDeleteAsync(Name, ifUnused: false, ifEmpty: false);
            await channel.QueueDeleteAsync(Dead, ifUnused: false, ifEmpty: false);
            await channel.ExchangeDeleteAsync(Dead);
        }
        finally
        {
            await _connection!.DisposeAsync();
        }
    }
}
