using Weir.Jobs.RabbitMq.Intakes;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

public sealed class OptionsTests
{
    [Theory]
    [InlineData("RabbitMqIntakeOptions.Uri is not a URI; set it to the broker", null)]
    [InlineData("RabbitMqIntakeOptions.Uri is 'http://host/x'; write it as in amqp://", "http://user:secret@host/x")]
    [InlineData("RabbitMqIntakeOptions.Uri is not a URI; write it as in amqp://", "amqp:// user:secret")]
    public Task A_broker_that_cannot_be_read_keeps_the_application_from_starting_and_shows_no_password(string message, string? uri) => RefusesAsync(message, options => options.Uri = uri);

    [Theory]
    [InlineData("RabbitMqIntakeOptions.Prefetch is 0; set it to 1 to 256. See WEIR3002.", 0)]
    [InlineData("RabbitMqIntakeOptions.Prefetch is 257; set it to 1 to 256. See WEIR3002.", 257)]
    public Task A_prefetch_out_of_its_range_keeps_the_application_from_starting(string message, int prefetch) => RefusesAsync(message, options => options.Prefetch = prefetch);

    [Fact]
    public async Task Options_that_lose_messages_keep_the_application_from_starting()
    {
        await RefusesAsync("RabbitMqIntakeOptions.Queue is null", static options => options.Queue = null);
        await RefusesAsync("RabbitMqIntakeOptions.Queue is 'qqq", static options => options.Queue = new string('q', 256));
        await RefusesAsync("RabbitMqIntakeOptions.DeadLetterExchange is null; set it to the exchange for messages that cannot become jobs: without one they would be lost.", static options => options.DeadLetterExchange = null);
        await RefusesAsync("RabbitMqIntakeOptions.DeadLetterRoutingKey is null", static options => options.DeadLetterExchange = "");
        await RefusesAsync("RabbitMqIntakeOptions.DeadLetterRoutingKey is 'jobs'", static options => (options.DeadLetterExchange, options.DeadLetterRoutingKey) = ("", "jobs"));
        await RefusesAsync("RabbitMqIntakeOptions.DeclareQueue is True", static options => (options.DeadLetterExchange, options.DeadLetterRoutingKey, options.DeclareQueue) = ("", "dead", true));
        await RefusesAsync("RabbitMqIntakeOptions.DeadLetterExchange is 'jobs'", static options => (options.DeadLetterExchange, options.DeclareQueue) = ("jobs", true));
        await RefusesAsync("RabbitMqIntakeOptions.Kind is 'orders/ship'; set it to a kind of this application (Orders/Check, Orders/Ship, bill), or to null.", static options => options.Kind = "orders/ship");
    }

    [Fact]
    public void A_broker_is_logged_without_its_password() => Assert.Equal("amqps://host:5671/sales", IntakeConfiguration.WithoutSecret(new Uri("amqps://user:secret@host:5671/sales")));

    private static async Task RefusesAsync(string message, Action<RabbitMqIntakeOptions> change)
    {
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => IntakeHost.StartAsync(options =>
        {
            (options.Uri, options.Queue, options.DeadLetterExchange) = ("amqp://127.0.0.1:1/", "jobs", "dead");
            change(options);
        }));
        Assert.StartsWith(message, refused.Message, StringComparison.Ordinal);
        Assert.EndsWith("See WEIR3002.", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", refused.Message, StringComparison.Ordinal);
    }
}
