using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.RabbitMq.Tests.Broker;
using Weir.Jobs.Storage;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

public sealed class IntakeTests(RabbitMqServer server)
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_message_becomes_a_job_that_runs()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure, static jobs => jobs.Run = true);
        await queue.PublishAsync("Orders/Ship", """{"order":"A-1","boxes":3}""", "m1");
        await queue.PublishAsync("bill", $$"""{"customer":"acme","scan":"{{Convert.ToBase64String(new byte[300])}}"}""", "m2");
        await Until.TrueAsync(() => host.Ledger.Shipped.Count == 2);

        Assert.Equal(3, host.Ledger.Shipped["A-1"]);
        Assert.Equal(300, host.Ledger.Shipped["acme"]);
        await host.StopAsync();
        Assert.Equal(0u, await queue.CountAsync());
    }

    [Fact]
    public async Task A_message_is_acknowledged_after_its_job_is_committed_and_not_before()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var proxy = new AmqpProxy(server);
        proxy.Begin();
        var gate = new StoreGate();
        var early = 0;
        proxy.OnAcknowledge = () => early += gate.Count <= proxy.Acknowledged ? 1 : 0;
        gate.Close();
        await using var host = await IntakeHost.StartAsync(Through(queue, proxy), gate: gate);
        for (var index = 0; index < 40; index++)
        {
            await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{index}}"}""", $"m{index}");
        }

        await Until.TrueAsync(() => gate.Waiting > 0);
        Assert.Equal(0, proxy.Acknowledged);

        gate.Open();
        await Until.TrueAsync(() => proxy.Acknowledged == 40);
        Assert.Equal(0, early);
        Assert.Equal(40, await host.CountAsync());
    }

    [Fact]
    public async Task Messages_that_wait_for_the_store_at_the_same_time_are_stored_in_one_commit()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        var gate = new StoreGate();
        gate.Close();
        await using var host = await IntakeHost.StartAsync(queue.Configure, gate: gate);
        await queue.PublishAsync("Orders/Ship", """{"order":"first"}""", "first");
        await Until.TrueAsync(() => gate.Waiting == 1);
        for (var index = 0; index < 30; index++)
        {
            await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{index}}"}""", $"m{index}");
        }

        // All of them are here.
        await queue.WhenEmptyAsync();
        gate.Open();
        await host.WhenStoredAsync(31);
        Assert.True(gate.Largest >= 20, $"The largest commit had {gate.Largest} jobs.");
    }

    [Fact]
    public async Task A_thousand_messages_that_are_delivered_again_make_no_second_job()
    {
        const int Messages = 1_000;
        await using var queue = await TestQueue.CreateAsync(server);
        for (var index = 0; index < Messages; index++)
        {
            await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{index}}"}""", $"m{index}");
        }

        // No acknowledgement of a first delivery arrives: the connection is cut before.
        await using var proxy = new AmqpProxy(server) { CutsAfterFirstDeliveries = 250 };
        proxy.Begin();
        var gate = new StoreGate();
        await using var host = await IntakeHost.StartAsync(Through(queue, proxy, 250), gate: gate);
        await Until.TrueAsync(async () => proxy.Acknowledged >= 2 * Messages && await queue.CountAsync() == 0);
        await host.StopAsync();

        Assert.True(proxy.Redelivered >= Messages, $"{proxy.Redelivered} were delivered again.");
        Assert.Equal(0u, await queue.CountAsync());
        Assert.Equal(Messages, gate.Count);
        Assert.True(gate.Existing >= Messages, $"{gate.Existing} found their job.");
        Assert.Equal(0u, await queue.Channel.MessageCountAsync(queue.Dead, Stop));
    }

    [Fact]
    public async Task No_more_messages_are_delivered_than_the_prefetch_allows()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        var gate = new StoreGate();
        gate.Close();
        for (var index = 0; index < 30; index++)
        {
            await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{index}}"}""", $"m{index}");
        }

        await using var host = await IntakeHost.StartAsync(options =>
        {
            queue.Configure(options);
            options.Prefetch = 8;
        }, gate: gate);
        await Until.TrueAsync(async () => gate.Waiting > 0 && await queue.CountAsync() == 22);

        gate.Open();
        await host.WhenStoredAsync(30);
    }

    [Fact]
    public async Task While_the_store_accepts_nothing_messages_wait_and_none_is_lost()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        var gate = new StoreGate();
        gate.Fail(new JobStoreException("The disk is on fire."));
        await using var host = await IntakeHost.StartAsync(queue.Configure, gate: gate);
        for (var index = 0; index < 20; index++)
        {
            await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{index}}"}""", $"m{index}");
        }

        await Until.TrueAsync(() => gate.Refused >= 20);
        await host.WhenDegradedAsync("wait: The store of jobs does not accept jobs now: The disk is on fire.");
        Assert.Contains(host.Log.All, static line => line.Event == 4544);

        gate.Open();
        await host.WhenStoredAsync(20);
        await host.WhenHealthyAsync();
        await host.StopAsync();
        Assert.Equal(0u, await queue.CountAsync());
        Assert.Equal(0u, await queue.Channel.MessageCountAsync(queue.Dead, Stop));
        Assert.Equal(20, gate.Count);
    }

    [Fact]
    public async Task A_kind_with_a_full_backlog_delays_its_messages()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure, static jobs => jobs.Kind("Orders/Check").MaxWaiting = 0);
        await queue.PublishAsync("Orders/Check", """{"order":"full"}""", "m1");
        await host.WhenDegradedAsync("WEIR2044");
        await host.StopAsync();
        Assert.Equal(1u, await queue.CountAsync());
    }

    [Fact]
    public async Task A_host_that_stops_stores_what_is_on_its_way_and_returns_the_rest()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var proxy = new AmqpProxy(server);
        proxy.Begin();
        var gate = new StoreGate();
        gate.Close();
        for (var index = 0; index < 40; index++)
        {
            await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{index}}"}""", $"m{index}");
        }

        await using var host = await IntakeHost.StartAsync(Through(queue, proxy, 16), gate: gate);
        await Until.TrueAsync(async () => gate.Waiting > 0 && await queue.CountAsync() == 24);
        var stopping = host.StopAsync();
        await Until.TrueAsync(() => proxy.Cancelled == 1);
        Assert.False(stopping.IsCompleted);
        gate.Open();
        await stopping;

        Assert.Equal(16, gate.Count);
        Assert.Equal(16, proxy.Acknowledged);
        Assert.Equal(24u, await queue.CountAsync());
        Assert.DoesNotContain(host.Log.All, static line => line.Event == 4545);
    }

    [Fact]
    public async Task A_host_that_stops_does_not_wait_for_a_store_that_accepts_nothing()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        var gate = new StoreGate();
        gate.Fail(new JobStoreException("Closed."));
        await using var host = await IntakeHost.StartAsync(queue.Configure, gate: gate);
        for (var index = 0; index < 5; index++)
        {
            await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{index}}"}""", $"m{index}");
        }

        await host.WhenDegradedAsync("5 messages");
        await host.StopAsync();
        Assert.Equal(5u, await queue.CountAsync());
        Assert.DoesNotContain(host.Log.All, static line => line.Event == 4545);
    }

    [Fact]
    public async Task A_classic_queue_is_read_too()
    {
        await using var queue = await TestQueue.CreateAsync(server, type: "classic");
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        await host.WhenStoredAsync(1);
    }

    [Fact]
    public async Task A_stream_is_refused()
    {
        await using var queue = await TestQueue.CreateAsync(server, type: "stream");
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await host.WhenHealthyAsync();
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        await host.WhenDegradedAsync("it is a stream");
        Assert.Equal(0, await host.CountAsync());
    }

    [Fact]
    public async Task Several_queues_are_read_at_the_same_time()
    {
        await using var one = await TestQueue.CreateAsync(server);
        await using var two = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(one.Configure, services: services => services.AddWeirJobsRabbitMq(options =>
        {
            two.Configure(options);
            options.Kind = "Orders/Ship";
        }));
        await one.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        await two.PublishAsync(null, """{"order":"B"}""", "m2");
        await host.WhenStoredAsync(2);
        Assert.Equal(2, (await host.HealthAsync()).Data.Count);
    }

    [Fact]
    public async Task An_application_that_accepts_no_jobs_takes_no_messages()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1");
        await using var host = await IntakeHost.StartAsync(queue.Configure, static jobs => jobs.Accept = false);
        Assert.Contains(host.Log.All, line => line.Event == 4546 && line.Text.Contains(queue.Name, StringComparison.Ordinal));
        await host.WhenHealthyAsync();
        Assert.Equal(0u, await queue.Channel.ConsumerCountAsync(queue.Name, Stop));
        Assert.Equal(1u, await queue.CountAsync());
    }

    [Fact]
    public async Task A_test_of_an_application_needs_no_broker()
    {
        await using var host = await IntakeHost.StartAsync(static options => (options.Uri, options.Queue, options.DeadLetterExchange) = ("amqp://127.0.0.1:1/", "jobs", "dead"), services: static services => services.AddWeirJobsTesting());
        await host.WhenHealthyAsync();
        Assert.DoesNotContain(host.Log.All, static line => line.Event == 4542);
    }

    private static Action<RabbitMqIntakeOptions> Through(TestQueue queue, AmqpProxy proxy, int prefetch = 64) => options =>
    {
        queue.Configure(options);
        (options.Uri, options.Prefetch) = (proxy.Uri, prefetch);
    };
}
