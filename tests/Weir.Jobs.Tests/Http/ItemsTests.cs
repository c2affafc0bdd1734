using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Jobs.Tests.Http;

/// <summary>The items of a job, while it runs and afterwards.</summary>
public sealed class ItemsTests(SharedHost shared) : IClassFixture<SharedHost>
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private HttpHost Host => shared.Host;

    [Theory]
    [InlineData("application/x-ndjson")]
    [InlineData("application/json")]
    public async Task Items_come_in_the_format_that_is_accepted(string format)
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":3,"gate":"f"}""");
        using var items = await Host.GetAsync($"{address}/items", null, $"Accept: {format}");
        Assert.Equal((200, format, Name(address)), ((int)items.StatusCode, items.Content.Headers.ContentType!.MediaType, HttpHost.Header(items, "Weir-Stream")));
        using var direct = await Host.PostAsync("/Answers/Pages", null, """{"count":3,"gate":"f"}""", $"Accept: {format}");
        Assert.Equal(await direct.Content.ReadAsStringAsync(Ct), await items.Content.ReadAsStringAsync(Ct));
    }

    [Fact]
    public async Task Bytes_come_as_they_are()
    {
        var address = await Host.SubmitAsync("Answers/Chunks", """{"count":4}""");
        using var items = await Host.GetAsync($"{address}/items", null, "Accept: application/octet-stream");
        Assert.Equal("application/octet-stream", items.Content.Headers.ContentType!.MediaType);
        Assert.Equal([0, 10, 1, 10, 2, 10, 3, 10], await items.Content.ReadAsByteArrayAsync(Ct));
    }

    [Fact]
    public async Task Events_have_the_name_of_the_stream_and_the_index_as_their_ids_and_end_with_the_count()
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":3}""");
        using var stream = await ItemStream.OpenAsync(Host, address);
        var events = await stream.RestAsync();
        Assert.Equal(Name(address), HttpHost.Header(stream.Response, "Weir-Stream"));
        Assert.Equal([$"{Name(address)}.0", $"{Name(address)}.1", $"{Name(address)}.2", "$end"], events.Select(static one => one.Id));
        Assert.Equal(("end", """{"count":3}"""), (events[^1].Name, events[^1].Data));
    }

    [Fact]
    public async Task An_item_is_sent_soon_although_its_operation_prefers_many_together()
    {
        // No heartbeat takes the item with it: one that is held comes when the job has ended, which waits for the item.
        await using var host = await HttpHost.StartAsync(new() { Services = static services => services.AddWeirServer(static server => server.HeartbeatInterval = null) });
        var address = await host.SubmitAsync("Answers/Together", """{"gate":"together"}""");
        using var items = await ItemStream.OpenAsync(host, address).WaitAsync(TimeSpan.FromSeconds(20), Ct);
        Assert.Equal("0", (await items.NextAsync())!.Data);
        Assert.Equal("running", (await host.JobAsync(address)).GetProperty("state").GetString());
        host.Board.Open("together");
        Assert.Equal("1", (await items.NextAsync())!.Data);
        Assert.Equal("end", (await items.NextAsync())!.Name);
    }

    [Theory]
    [InlineData("text/event-stream")]
    [InlineData("application/x-ndjson")]
    [InlineData("application/json")]
    public async Task An_item_is_sent_while_the_job_still_runs(string format)
    {
        var gate = $"live {format}";
        var address = await Host.SubmitAsync("Answers/Pages", $$"""{"count":4,"gate":"{{gate}}","gatedFrom":1}""");
        using var response = await Host.GetAsync($"{address}/items", null, $"Accept: {format}");
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(Ct));
        for (var index = 0; index < 4; index++)
        {
            var text = "";
            var buffer = new char[1];
            while (!text.Contains($"\"year\":{index}", StringComparison.OrdinalIgnoreCase))
            {
                Assert.True(await reader.ReadAsync(buffer, Ct) == 1, text);
                text += buffer[0];
            }

            Assert.Equal("running", index < 3 ? (await Host.JobAsync(address)).GetProperty("state").GetString() : "running");
            Host.Board.Open($"{gate} {index + 1}");
        }

        await reader.ReadToEndAsync(Ct);
        Assert.Equal("succeeded", (await Host.JobAsync(address)).GetProperty("state").GetString());
    }

    [Theory]
    [InlineData("-1", 5)]
    [InlineData("0", 4)]
    [InlineData("3", 1)]
    [InlineData("4", 0)]
    public async Task A_reader_continues_behind_the_item_that_it_received_last(string index, int left)
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":5}""");
        await Host.EndAsync(address);
        using var stream = await ItemStream.OpenAsync(Host, address, $"{Name(address)}.{index}");
        var events = await stream.RestAsync();
        Assert.Equal(Enumerable.Range(5 - left, left).Select(static one => (long)one), events.SkipLast(1).Select(static one => one.Index));
        Assert.Equal(("end", """{"count":5}"""), (events[^1].Name, events[^1].Data));

        using var lines = await Host.GetAsync($"{address}/items", null, "Accept: application/x-ndjson", $"Last-Event-ID: {Name(address)}.{index}");
        var text = await lines.Content.ReadAsStringAsync(Ct);
        Assert.Equal(left, text.Split('\n').Count(static line => line.Contains("\"page\"", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("5")]
    [InlineData("{0}")]
    [InlineData("{0}.")]
    [InlineData("{0}.x")]
    [InlineData("{0}.-2")]
    [InlineData("{0}. 1")]
    [InlineData("{0}.99999999999999999999999")]
    [InlineData("{0}.9223372036854775807")]
    [InlineData("{0}x.1")]
    [InlineData("{0}-.1")]
    [InlineData("{0}-0.1")]
    [InlineData("{0}-99999999999.1")]
    [InlineData("019f0000-0000-7000-8000-000000000000.1")]
    [InlineData("")]
    public async Task A_position_that_is_none_of_this_job_is_refused(string last)
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":3}""");
        await Host.EndAsync(address);
        var header = "Last-Event-ID: " + last.Replace("{0}", Name(address), StringComparison.Ordinal);
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/items", null, "Accept: text/event-stream", header)));
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/result", null, "Accept: text/event-stream", header)));
    }

    [Fact]
    public async Task Two_positions_are_refused_and_one_of_another_job_or_run_too()
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":3}""");
        var other = await Host.SubmitAsync("Answers/Pages", """{"count":3}""");
        await Host.EndAsync(address);
        await Host.EndAsync(other);
        Assert.Equal(400, (await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/items", null, $"Last-Event-ID: {Name(address)}.0", $"Last-Event-ID: {Name(address)}.1"))).Status);
        Assert.Equal(400, (await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/items", null, $"Last-Event-ID: {Name(other)}.0"))).Status);
        Assert.Equal((410, WeirCodes.JobContentGone), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/items", null, $"Last-Event-ID: {Name(address)}-1.0")));
    }

    [Fact]
    public async Task A_reader_that_has_received_the_end_is_sent_nothing()
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":1}""");
        using var response = await Host.GetAsync($"{address}/items", null, "Accept: text/event-stream", "Last-Event-ID: $end");
        Assert.Equal(204, (int)response.StatusCode);
    }

    [Fact]
    public async Task A_job_that_is_no_stream_has_no_items()
    {
        var address = await Host.SubmitAsync("Answers/Text", """{"text":"x"}""");
        Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/items")));
    }

    [Fact]
    public async Task A_stream_operation_links_to_its_items_and_counts_them()
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":7}""");
        var job = await Host.EndAsync(address);
        Assert.Equal(($"{address}/items", 7), (job.GetProperty("links").GetProperty("items").GetString(), job.GetProperty("items").GetInt32()));
    }

    [Fact]
    public async Task A_failed_job_sends_its_items_and_then_its_failure()
    {
        var address = await Host.SubmitAsync("Answers/FailsAfter", """{"count":2,"why":"enough"}""");
        await Host.EndAsync(address);
        foreach (var last in new[] { null, $"{Name(address)}.0", $"{Name(address)}.1" })
        {
            using var stream = await ItemStream.OpenAsync(Host, address, last);
            var events = await stream.RestAsync();
            Assert.Equal(last is null ? 2 : last.EndsWith(".0", StringComparison.Ordinal) ? 1 : 0, events.Count - 1);
            var problem = JsonElement.Parse(events[^1].Data);
            Assert.Equal(("problem", "$end", 409, 2), (events[^1].Name, events[^1].Id, problem.GetProperty("status").GetInt32(), problem.GetProperty("index").GetInt32()));
            Assert.Equal("enough", problem.GetProperty("detail").GetString());
        }
    }

    [Fact]
    public async Task A_cancelled_job_sends_its_items_and_then_says_that_it_was_cancelled()
    {
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":9,"gate":"cancelled","gatedFrom":2}""");
        using var stream = await ItemStream.OpenAsync(Host, address);
        Assert.Equal(0, (await stream.NextAsync())!.Index);
        Assert.Equal(1, (await stream.NextAsync())!.Index);
        using var cancelled = await Host.PostAsync($"{address}/cancel");
        Assert.True(cancelled.IsSuccessStatusCode);
        var end = Assert.Single(await stream.RestAsync());
        Assert.Equal(("problem", WeirCodes.JobWithoutResult), (end.Name, JsonElement.Parse(end.Data).GetProperty("code").GetString()));
    }

    [Fact]
    public async Task After_a_retry_by_hand_the_items_have_another_name_and_those_of_before_are_gone()
    {
        var address = await Host.SubmitAsync("Answers/Drafts", """{"name":"drafts"}""");
        await Host.EndAsync(address);
        using (var first = await ItemStream.OpenAsync(Host, address))
        {
            Assert.Equal([$"{Name(address)}.0", $"{Name(address)}.1", "$end"], (await first.RestAsync()).Select(static one => one.Id));
        }

        using var retried = await Host.PostAsync($"{address}/retry", HttpHost.Operator);
        Assert.Equal((202, address), ((int)retried.StatusCode, retried.Headers.Location!.OriginalString));
        await Host.EndAsync(address);
        Assert.Equal((410, WeirCodes.JobContentGone), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/items", null, "Accept: text/event-stream", $"Last-Event-ID: {Name(address)}.0")));
        using var second = await ItemStream.OpenAsync(Host, address);
        var events = await second.RestAsync();
        Assert.Equal([$"{Name(address)}-1.0", $"{Name(address)}-1.1", "$end"], events.Select(static one => one.Id));
        Assert.Equal("\"2 a\"", events[0].Data);
        using var rest = await ItemStream.OpenAsync(Host, address, $"{Name(address)}-1.0");
        Assert.Equal([$"{Name(address)}-1.1", "$end"], (await rest.RestAsync()).Select(static one => one.Id));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reader_of_a_job_that_is_deleted_or_begun_again_is_informed_in_the_stream(bool retries)
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        var address = await host.SubmitAsync("Answers/Pages", """{"count":3,"gate":"gone","gatedFrom":1}""");
        using var stream = await ItemStream.OpenAsync(host, address);
        Assert.Equal(0, (await stream.NextAsync())!.Index);
        await store.DeleteUnseenAsync(host, Guid.Parse(Name(address)), retries);
        var end = Assert.Single(await stream.RestAsync());
        Assert.Equal(("problem", WeirCodes.JobContentGone, 410), (end.Name, JsonElement.Parse(end.Data).GetProperty("code").GetString(), JsonElement.Parse(end.Data).GetProperty("status").GetInt32()));
    }

    [Fact]
    public async Task A_reader_that_is_cut_fifty_times_at_random_places_sees_each_item_once()
    {
        const int count = 500;
        var random = new Random(40);
        var address = await Host.SubmitAsync("Answers/Pages", $$"""{"count":{{count}},"gate":"cut","gatedFrom":250}""");
        for (var index = 250; index < count; index++)
        {
            if (index < 400)
            {
                Host.Board.Open($"cut {index}");
            }
        }

        var (seen, last) = (new List<long>(), (string?)null);
        for (var cut = 0; cut < 50; cut++)
        {
            using var stream = await ItemStream.OpenAsync(Host, address, last);
            for (var read = random.Next(8); read > 0; read--)
            {
                var next = (await stream.NextAsync())!;
                Assert.Null(next.Name);
                seen.Add(next.Index);
                last = next.Id;
            }
        }

        for (var index = 400; index < count; index++)
        {
            Host.Board.Open($"cut {index}");
        }

        using (var stream = await ItemStream.OpenAsync(Host, address, last))
        {
            var events = await stream.RestAsync();
            Assert.Equal("end", events[^1].Name);
            seen.AddRange(events.SkipLast(1).Select(static one => one.Index));
        }

        Assert.Equal(Enumerable.Range(0, count).Select(static index => (long)index), seen);
    }

    private static string Name(string address) => address.Split('/')[^1];
}
