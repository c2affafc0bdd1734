using System.Globalization;
using System.Text;
using RabbitMQ.Client;
using Weir.Jobs.RabbitMq.Tests.Broker;
using Weir.Jobs.Running;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

/// <summary>How jobs of messages are submitted.</summary>
public sealed class SubmissionTests(RabbitMqServer server)
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Headers_say_how_the_job_is_submitted()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        var due = DateTimeOffset.FromUnixTimeSeconds(TimeProvider.System.GetUtcNow().AddDays(10).ToUnixTimeSeconds());
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1", properties => properties.Headers = new Dictionary<string, object?>(properties.Headers!)
        {
            ["weir-key"] = "acme",
            ["weir-priority"] = "High",
            ["weir-due"] = due.ToOffset(TimeSpan.FromHours(1)).ToString("yyyy-MM-ddTHH:mm:sszzz", CultureInfo.InvariantCulture),
            ["weir-expires-after"] = "20.00:00:01",
            ["weir-owner"] = "someone",
        });
        await host.WhenStoredAsync(1);

        var source = (StoredJobs)host.Jobs;
        var job = (await source.FindAsync(Assert.Single(await host.Jobs.ListAsync(cancellationToken: Stop)).Id, Stop))!;
        Assert.Equal(("acme", JobPriority.High, due, "someone"), (job.Key, job.Priority, job.ScheduledFor, job.Owner));
        Assert.Equal(job.Submitted + TimeSpan.FromDays(20) + TimeSpan.FromSeconds(1), job.Expires);
    }

    [Theory]
    [InlineData("weir-priority", "urgent", "The header weir-priority is 'urgent'; write high, normal or low.")]
    [InlineData("weir-due", "tomorrow", "The header weir-due is 'tomorrow'")]
    [InlineData("weir-expires-after", "600", "The header weir-expires-after is '600'; write a time as in 00:10:00")]
    [InlineData("weir-expires-after", "-00:00:01", "JobOptions.ExpiresAfter is -00:00:01")]
    [InlineData("weir-due", "2900-01-01T00:00:00Z", "at most 3650 days from now.")]
    [InlineData("weir-expires-after", "ten minutes", "The header weir-expires-after is 'ten minutes'")]
    [InlineData("weir-kee", "acme", "There is no header weir-kee; those of jobs are weir-kind, weir-key")]
    [InlineData("weir-owner", 7, "The header weir-owner has a value of the type Int32; write a string.")]
    public async Task A_header_that_cannot_be_read_makes_a_dead_letter(string name, object value, string reason)
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure, static jobs => jobs.Run = false);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1", properties => properties.Headers![name] = value);
        Assert.Contains(reason, Reason(await queue.TakeDeadAsync()), StringComparison.Ordinal);
        Assert.Equal(0, await host.CountAsync());
    }

    [Fact]
    public async Task A_body_with_a_content_encoding_and_a_long_message_id_are_dead_letters()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1", static properties => properties.ContentEncoding = "gzip");
        Assert.Contains("'gzip'", Reason(await queue.TakeDeadAsync()), StringComparison.Ordinal);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", new string('m', 201));
        Assert.Contains("201 characters", Reason(await queue.TakeDeadAsync()), StringComparison.Ordinal);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m2", static properties => properties.ContentEncoding = "utf-8");
        await host.WhenStoredAsync(1);
    }

    [Fact]
    public async Task The_routing_key_names_the_kind_where_no_header_does()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await queue.Channel.ExchangeDeclareAsync(queue.Name, ExchangeType.Topic, durable: true, cancellationToken: Stop);
        await queue.Channel.QueueBindAsync(queue.Name, queue.Name, "#", cancellationToken: Stop);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.Channel.BasicPublishAsync(queue.Name, "Orders/Ship", mandatory: true, new BasicProperties { MessageId = "m1" }, "{\"order\":\"A\"}"u8.ToArray(), Stop);
        await host.WhenStoredAsync(1);
        Assert.Equal("Orders/Ship", Assert.Single(await host.Jobs.ListAsync(cancellationToken: Stop)).Kind);
        await queue.Channel.ExchangeDeleteAsync(queue.Name, cancellationToken: Stop);
    }

    [Fact]
    public async Task A_queue_may_have_one_kind()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(options =>
        {
            queue.Configure(options);
            options.Kind = "Orders/Ship";
        });
        await queue.PublishAsync(null, """{"order":"A"}""", "m1");
        await host.WhenStoredAsync(1);
        await queue.PublishAsync("bill", """{"customer":"acme","scan":""}""", "m2");
        Assert.Contains("are of the kind Orders/Ship", Reason(await queue.TakeDeadAsync()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Messages_without_an_id_and_with_further_arguments_become_jobs_where_the_options_say_so()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(options =>
        {
            queue.Configure(options);
            (options.RequireMessageId, options.RefuseUnknownArguments) = (false, false);
        });
        await queue.PublishAsync("Orders/Ship", """{"order":"A","by":"truck"}""", null);
        await queue.PublishAsync("Orders/Ship", """{"order":"A","by":"truck"}""", null);
        await host.WhenStoredAsync(2);
    }

    [Fact]
    public async Task The_trace_of_the_publisher_is_that_of_the_submission()
    {
        await using var queue = await TestQueue.CreateAsync(server);
        await using var host = await IntakeHost.StartAsync(queue.Configure);
        await queue.PublishAsync("Orders/Ship", """{"order":"A"}""", "m1", static properties => properties.Headers!["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        await host.WhenStoredAsync(1);
        var job = await ((StoredJobs)host.Jobs).FindAsync(Assert.Single(await host.Jobs.ListAsync(cancellationToken: Stop)).Id, Stop);
        Assert.StartsWith("00-0af7651916cd43dd8448eb211c80319c-", job!.TraceParent, StringComparison.Ordinal);
    }

    private static string Reason(BasicGetResult message) => Encoding.UTF8.GetString((byte[])message.BasicProperties.Headers!["weir-reason"]!);
}
