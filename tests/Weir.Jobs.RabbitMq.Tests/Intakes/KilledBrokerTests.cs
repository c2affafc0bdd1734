using System.Globalization;
using Weir.Jobs.RabbitMq.Tests.Broker;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

/// <summary>The broker is killed while messages are published and taken. It is one of its own: others need theirs.</summary>
public sealed class KilledBrokerTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public Task No_confirmed_message_is_lost_and_none_is_two_jobs_when_the_broker_is_killed() => RunAsync(2, TimeSpan.FromSeconds(1));

    [Fact, Trait("Kind", "Long")]
    public Task No_confirmed_message_is_lost_and_none_is_two_jobs_when_the_broker_is_killed_every_ten_seconds() => RunAsync(12, TimeSpan.FromSeconds(10));

    private static async Task RunAsync(int kills, TimeSpan between)
    {
        await using var server = new RabbitMqServer();
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure, static jobs => jobs.Run = true);
        var confirmed = new HashSet<string>();
        using var stopping = new CancellationTokenSource();
        var publishing = PublishAsync(queue, confirmed, stopping.Token);
        for (var kill = 1; kill <= kills; kill++)
        {
            // Messages are on their way while it ends.
            await Task.Delay(between, Stop);
            var before = host.Ledger.Shipped.Count;
            await server.KillAsync();
            await server.StartAsync();
            await Until.TrueAsync(() => host.Ledger.Shipped.Count > before, $"No message was taken after kill {kill}.");
        }

        await stopping.CancelAsync();
        await publishing;
        await queue.ConnectAsync();
        await Until.TrueAsync(async () => await queue.CountAsync() == 0 && confirmed.All(host.Ledger.Shipped.ContainsKey), "A confirmed message did not become a job.");
        await Until.TrueAsync(async () => (await host.HealthAsync()).Status == Microsoft.Extensions.Diagnostics.HealthChecks.HealthStatus.Healthy);
        await host.StopAsync();

        // One run each: a message that became two jobs has shipped twice.
        Assert.Equal(0u, await queue.CountAsync());
        Assert.All(host.Ledger.Shipped, static order => Assert.Equal(1, order.Value));
        Assert.Equal(0u, await queue.Channel.MessageCountAsync(queue.Dead, Stop));
        TestContext.Current.TestOutputHelper?.WriteLine($"{confirmed.Count} confirmed, {host.Ledger.Shipped.Count} jobs, {host.Gate.Existing} delivered again, {kills} kills");
        Assert.True(confirmed.Count > 20 * kills, $"{confirmed.Count} messages were confirmed.");
    }

    // One that was not confirmed may be there or not: it is published again, with its id, as publishers do.
    private static async Task PublishAsync(TestQueue queue, HashSet<string> confirmed, CancellationToken stopping)
    {
        for (var number = 0; !stopping.IsCancellationRequested; number++)
        {
            var order = number.ToString(CultureInfo.InvariantCulture);
            while (true)
            {
                try
                {
                    await queue.PublishAsync("Orders/Ship", $$"""{"order":"{{order}}"}""", order);
                    confirmed.Add(order);
                    break;
                }
                catch (Exception) when (!Stop.IsCancellationRequested)
                {
                    try
                    {
                        await queue.ReconnectAsync();
                    }
                    catch (Exception) when (!Stop.IsCancellationRequested)
                    {
                        await Task.Delay(100, Stop);
                    }
                }
            }
        }
    }
}
