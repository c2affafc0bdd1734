using System.Text;
using RabbitMQ.Client;
using Weir.Jobs.RabbitMq.Tests.Broker;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

public sealed class DeadLetterTests(RabbitMqServer server)
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Orders/Ship", "{", "m", "malformed")]
    [InlineData("Orders/Ship", "[1]", "m", "a JSON object with a member per argument")]
    [InlineData("Orders/Ship", "", "m", "order")]
    [InlineData("Orders/Ship", """{"order":"A","boxs":2}""", "m", "no argument of this name")]
    [InlineData("Orders/Ship", """{"order":7,"boxes":"x"}""", "m", "All: ")]
    [InlineData("Orders/Ship", """{"order":"A","boxes":101}""", "m", "boxes")]
    [InlineData("bill", """{"customer":"acme"}""", "m", "scan")]
    [InlineData("Orders/Sink", "{}", "m", "There is no kind 'Orders/Sink', which is the header weir-kind; the kinds are: Orders/Check, Orders/Ship, bill.")]
    [InlineData(null, "{}", "m", "which is the routing key")]
    [InlineData("Orders/Ship", """{"order":"A"}""", null, "The message has no message id")]
    public async Task What_cannot_become_a_job_is_a_dead_letter_with_the_reason(string? kind, string body, string? id, string reason)
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync(kind, body, id, static properties => properties.Headers!["tenant"] = "acme");
        var dead = await queue.TakeDeadAsync();

        Assert.Contains(reason, Header(dead, "weir-reason"), StringComparison.Ordinal);
        Assert.Equal(queue.Name, Header(dead, "weir-queue"));
        Assert.Equal("acme", Header(dead, "tenant"));
        Assert.Equal(kind, Header(dead, "weir-kind"));
        Assert.Equal(body, Encoding.UTF8.GetString(dead.Body.Span));
        Assert.Equal(id, dead.BasicProperties.MessageId);
        Assert.True(dead.BasicProperties.Persistent);
        await host.StopAsync();
        Assert.Equal(0u, await queue.CountAsync());
        Assert.Equal(0, host.Gate.Count);
        Assert.Contains(host.Log.All, static line => line.Event == 4543);
    }

    [Fact]
    public async Task A_message_id_that_was_used_for_other_arguments_is_a_dead_letter_that_names_the_job()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        await host.WhenStoredAsync(1);
        await queue.PublishAsync("Orders/Ship", """ { "order" : "A" } """, "m1");
        await queue.PublishAsync("Orders/Ship", """{"order":"B"}""", "m1");
        var dead = await queue.TakeDeadAsync();

        var job = Assert.Single(await host.Jobs.ListAsync(cancellationToken: Stop));
        Assert.Contains($"job {job.Id}", Header(dead, "weir-reason"), StringComparison.Ordinal);
        Assert.Equal("""{"order":"B"}""", Encoding.UTF8.GetString(dead.Body.Span));
        await host.StopAsync();
        Assert.Equal(0u, await queue.Channel.MessageCountAsync(queue.Dead, Stop));
    }

    [Fact]
    public async Task A_validation_that_throws_makes_a_dead_letter()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync("Orders/Check", """{"order":"broken"}""", "m1");
        Assert.Contains("The rules are missing.", Header(await queue.TakeDeadAsync(), "weir-reason"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dead_letter_outlives_its_expiry()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync("Orders/Sink", "{}", "m1", properties =>
        {
            (properties.Expiration, properties.UserId, properties.ContentType, properties.CorrelationId, properties.Priority) = ("100000", "guest", "application/json", "c1", 3);
            properties.Headers!["weir-due"] = new AmqpTimestamp(1_800_000_000);
        });
        var dead = (await queue.TakeDeadAsync()).BasicProperties;
        Assert.False(dead.IsExpirationPresent());
        Assert.False(dead.IsUserIdPresent());
        Assert.Equal(("application/json", "c1", (byte)3), (dead.ContentType, dead.CorrelationId, dead.Priority));
        Assert.Equal(new AmqpTimestamp(1_800_000_000), dead.Headers!["weir-due"]);
    }

    [Fact]
    public async Task A_dead_letter_that_is_put_back_becomes_a_job_when_its_kind_is_there()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await queue.Channel.ExchangeDeclareAsync(queue.Name, ExchangeType.Topic, durable: true, cancellationToken: Stop);
        await queue.Channel.QueueBindAsync(queue.Name, queue.Name, "#", cancellationToken: Stop);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.Channel.BasicPublishAsync(queue.Name, "Orders/Ship", mandatory: true, new BasicProperties { MessageId = "m1" }, "{\"order\":1}"u8.ToArray(), Stop);
        var dead = await queue.TakeDeadAsync();
        Assert.Equal("Orders/Ship", Header(dead, "weir-kind"));

        // As an operator does it: to the queue by its name, with the headers that it has.
        await queue.Channel.BasicPublishAsync("", queue.Name, mandatory: true, new BasicProperties { MessageId = "m1", Headers = dead.BasicProperties.Headers }, "{\"order\":\"A\"}"u8.ToArray(), Stop);
        await host.WhenStoredAsync(1);
        await queue.Channel.ExchangeDeleteAsync(queue.Name, cancellationToken: Stop);
    }

    [Fact]
    public async Task Without_a_queue_for_dead_letters_a_message_stays_until_there_is_one()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await queue.Channel.QueueUnbindAsync(queue.Dead, queue.Dead, "", cancellationToken: Stop);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync("Orders/Sink", "{}", "m1");
        await host.WhenDegradedAsync($"no queue is bound to the exchange '{queue.Dead}'");
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m2");
        await host.WhenStoredAsync(1);

        await queue.Channel.QueueBindAsync(queue.Dead, queue.Dead, "", cancellationToken: Stop);
        Assert.Equal("m1", (await queue.TakeDeadAsync()).BasicProperties.MessageId);
        await host.WhenHealthyAsync();
    }

    [Fact]
    public async Task Without_the_exchange_a_message_stays_until_it_is_there()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await host.WhenHealthyAsync();
        await queue.Channel.ExchangeDeleteAsync(queue.Dead, cancellationToken: Stop);
        await queue.PublishAsync("Orders/Sink", "{}", "m1");
        await host.WhenDegradedAsync("cannot be published to the dead letters");

        await queue.DeclareAsync();
        Assert.Equal("m1", (await queue.TakeDeadAsync()).BasicProperties.MessageId);
        await host.WhenHealthyAsync();
    }

    [Fact]
    public async Task Dead_letters_may_go_to_a_queue_of_the_default_exchange()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(options =>
        {
            queue.Configure(options);
            (options.DeadLetterExchange, options.DeadLetterRoutingKey) = ("", queue.Dead);
        });

        // A message with CC goes to other queues as well: its dead letter must not come back.
        await queue.PublishAsync("Orders/Sink", "{}", "m1", properties => properties.Headers!["CC"] = new List<object?> { queue.Name });
        Assert.Equal("m1", (await queue.TakeDeadAsync()).BasicProperties.MessageId);
        await host.StopAsync();
        Assert.Equal(0u, await queue.CountAsync());
        Assert.Equal(0u, await queue.Channel.MessageCountAsync(queue.Dead, Stop));
    }

    private static string? Header(BasicGetResult message, string name) => message.BasicProperties.Headers!.TryGetValue(name, out var value) ? Encoding.UTF8.GetString((byte[])value!) : null;
}
