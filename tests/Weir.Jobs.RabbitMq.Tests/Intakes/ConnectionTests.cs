using RabbitMQ.Client;
using Weir.Jobs.RabbitMq.Tests.Broker;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

public sealed class ConnectionTests(RabbitMqServer server)
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_application_starts_before_its_broker()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        await using var proxy = new AmqpProxy(server);
        await using var host = await IntakeHost.StartAsync(options =>
        {
            queue.Configure(options);
            options.Uri = proxy.Uri;
        });
        await host.WhenDegradedAsync($"Messages of the queue '{queue.Name}' are not taken: the broker cannot be reached.");
        Assert.DoesNotContain(host.Log.All, static line => line.Text.Contains("guest:guest", StringComparison.Ordinal));

        proxy.Begin();
        await host.WhenStoredAsync(1);
        await host.WhenHealthyAsync();
        Assert.Contains(host.Log.All, line => line.Event == 4541 && line.Text == $"Messages of the queue {queue.Name} at amqp://127.0.0.1:{proxy.Port}/ become jobs.");
    }

    [Fact]
    public async Task An_application_that_waits_for_its_broker_stops_at_once()
    {
        await using var host = await IntakeHost.StartAsync(static options => (options.Uri, options.Queue, options.DeadLetterExchange) = ("amqp://127.0.0.1:1/", "jobs", "dead"));
        await host.WhenDegradedAsync("the broker cannot be reached.");
        await host.StopAsync();
        Assert.Single(host.Log.All, static line => line.Event == 4542);
    }

    [Fact]
    public async Task A_connection_that_is_cut_comes_back()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var proxy = new AmqpProxy(server);
        proxy.Begin();
        await using var host = await IntakeHost.StartAsync(options =>
        {
            queue.Configure(options);
            options.Uri = proxy.Uri;
        });
        for (var cut = 1; cut <= 5; cut++)
        {
            await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", $"m{cut}");
            await host.WhenStoredAsync(cut);
            proxy.Cut();
        }

        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "last");
        await host.WhenStoredAsync(6);
        await queue.WhenEmptyAsync();
        Assert.Contains(host.Log.All, static line => line.Event == 4542 && line.Text.Contains("the connection is gone.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_queue_that_is_missing_or_deleted_is_read_as_soon_as_it_is_there()
    {
        await using var queue = await TestQueue.CreateAsync(server, withoutTopology: true);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await host.WhenDegradedAsync($"the broker has no exchange '{queue.Dead}' (DeadLetterExchange): declare it, or set DeclareQueue.");
        await queue.Channel.ExchangeDeclareAsync(queue.Dead, ExchangeType.Fanout, durable: true, cancellationToken: Stop);
        await host.WhenDegradedAsync($"the broker has no queue '{queue.Name}' (Queue): declare it, or set DeclareQueue.");
        await queue.DeclareAsync();
        await host.WhenHealthyAsync();
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        await host.WhenStoredAsync(1);

        await queue.Channel.QueueDeleteAsync(queue.Name, cancellationToken: Stop);
        await host.WhenDegradedAsync("the broker has");
        await queue.DeclareAsync();
        await queue.PublishAsync("Orders/Ship", """{"order":"B"}""", "m2");
        await host.WhenStoredAsync(2);
    }

    [Fact]
    public async Task What_is_needed_is_declared_where_the_options_say_so()
    {
        await using var queue = await TestQueue.CreateAsync(server, withoutTopology: true);
        await using (var host = await IntakeHost.StartAsync(Declaring(queue)))
        {
            await host.WhenHealthyAsync();
            await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
            await queue.PublishAsync("Orders/Sink", "{}", "m2");
            await host.WhenStoredAsync(1);
            Assert.Equal("m2", (await queue.TakeDeadAsync()).BasicProperties.MessageId);
        }

        // It is a durable quorum queue, whose broker gives nothing up without the exchange; declared again it is the same.
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m3");
        var taken = await queue.Channel.BasicGetAsync(queue.Name, autoAck: false, Stop);
        await queue.Channel.BasicRejectAsync(taken!.DeliveryTag, requeue: false, Stop);
        Assert.Equal("m3", (await queue.TakeDeadAsync()).BasicProperties.MessageId);
        await using var again = await IntakeHost.StartAsync(Declaring(queue));
        await again.WhenHealthyAsync();
    }

    [Fact]
    public async Task A_queue_with_other_arguments_is_left_as_it_is()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(Declaring(queue));
        await host.WhenDegradedAsync("the broker has refused it. PRECONDITION_FAILED");
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        Assert.Equal(1u, await queue.CountAsync());
    }

    [Fact]
    public async Task A_wrong_password_is_said()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(options =>
        {
            queue.Configure(options);
            options.ConfigureConnection = static factory => factory.Password = "wrong";
        });
        await host.WhenDegradedAsync("ACCESS_REFUSED");
    }

    private static Action<RabbitMqIntakeOptions> Declaring(TestQueue queue) => options =>
    {
        queue.Configure(options);
        options.DeclareQueue = true;
    };
}
