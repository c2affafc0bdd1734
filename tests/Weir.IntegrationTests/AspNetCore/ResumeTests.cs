using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Streams that continue after their connection was cut.</summary>
public sealed class ResumeTests
{
    private const int Limit = 120_000;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static TheoryData<string, string> EveryWay
    {
        get
        {
            var ways = new TheoryData<string, string>();
            foreach (var service in (string[])["InlineResume", "LaneResume", "IsolatedResume"])
            {
                ways.Add(service, ResumingReader.Events);
                ways.Add(service, ResumingReader.Marked);
            }

            return ways;
        }
    }

    public static TheoryData<string, string> EveryForm
    {
        get
        {
            var forms = new TheoryData<string, string>();
            foreach (var service in (string[])["InlineResume", "LaneResume", "IsolatedResume"])
            {
                foreach (var operation in (string[])["Again", "Kept"])
                {
                    forms.Add($"/{service}/{operation}", ResumingReader.Events);
                    forms.Add($"/{service}/{operation}", ResumingReader.Marked);
                }
            }

            return forms;
        }
    }

    [Theory(Timeout = Limit)]
    [MemberData(nameof(EveryForm))]
    public Task Cuts_lose_and_repeat_nothing(string path, string accept) => CutAsync(path, accept, items: 20_000, cuts: 40);

    [Theory(Timeout = 30 * Limit), Trait("Kind", "Long")]
    [MemberData(nameof(EveryForm))]
    public Task A_thousand_cuts_in_a_million_items_lose_and_repeat_nothing(string path, string accept) => CutAsync(path, accept, items: 1_000_000, cuts: 1000);

    [Theory]
    [InlineData("json", null, "3", "[4,5]")]
    [InlineData("json", null, "5", "[]")]
    [InlineData("ndjson", null, "3", "4\n5\n")]
    [InlineData(null, ResumingReader.Marked, "3", "4\n5\n{\"$weir\":{\"ok\":true,\"count\":6}}\n")]
    [InlineData("sse", null, "4", "id: 5\ndata: 5\n\nid: $end\nevent: end\ndata: {\"count\":6}\n\n")]
    [InlineData("sse", null, "$end", null)]
    [InlineData("ndjson", null, "$end", null)]
    public async Task A_stream_continues_behind_the_last_event_id_in_every_format(string? format, string? accept, string id, string? text)
    {
        await using var host = await StartAsync();
        using var response = await GetAsync(host, $"/InlineResume/Again{(format is null ? "" : "." + format)}?n=6&from=1", accept, id);
        Assert.Equal(text is null ? HttpStatusCode.NoContent : HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(text ?? "", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task A_stream_that_begins_later_numbers_its_items_from_there()
    {
        await using var host = await StartAsync();
        Assert.Equal("id: 4\ndata: 4\n\nid: $end\nevent: end\ndata: {\"count\":5}\n\n", await host.Client.GetStringAsync("/InlineResume/Again.sse?n=5&from=4", Cancel));
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("-3")]
    [InlineData("x")]
    [InlineData("")]
    [InlineData("1.5")]
    [InlineData("+1")]
    [InlineData(" 1 2")]
    [InlineData("9223372036854775807")]
    [InlineData("9223372036854775808")]
    [InlineData("0123456789abcdef0123456789abcdef.3")]
    public async Task A_last_event_id_that_is_no_index_is_a_binding_error(string id)
    {
        await using var host = await StartAsync();
        using var response = await GetAsync(host, "/InlineResume/Again.sse?n=5", null, id);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("\"bindingErrors\":[{\"name\":\"Last-Event-ID\",\"source\":\"header\",\"reason\":\"invalid\"", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_negative_index_is_a_binding_error()
    {
        await using var host = await StartAsync();
        using var response = await host.Client.GetAsync("/InlineResume/Again.sse?n=5&from=-2", Cancel);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("\"name\":\"from\"", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EveryWay))]
    public async Task A_host_that_stops_asks_its_readers_to_continue_elsewhere(string service, string accept)
    {
        await using var next = await StartAsync();
        var stopping = await StartAsync();
        using var reader = new ResumingReader(stopping.Http1) { OnAttempt = request => request.RequestUri = new Uri(request.Headers.Contains("Last-Event-ID") ? next.Http1 : stopping.Http1, request.RequestUri!.OriginalString) };
        var path = $"/{service}/Again?n=3";
        var reading = reader.AttemptAsync(path + "&waits=true", accept, cut: 4);
        while (reader.Count < 3)
        {
            await Task.Delay(1, Cancel);
        }

        // Long before the shutdown timeout, which is half a minute.
        await stopping.StopAsync().WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        await reading;
        Assert.Equal(1, reader.Retries);
        await reader.AttemptAsync(path, accept, cut: long.MaxValue);
        Assert.Equal((3, 2), (reader.Count, reader.Attempts));
        await stopping.DisposeAsync();
    }

    [Theory]
    [InlineData("json", "[0,1,2")]
    [InlineData("ndjson", "0\n1\n2\n")]
    public async Task A_host_that_stops_cuts_a_reader_that_cannot_be_asked(string format, string received)
    {
        var host = await StartAsync();
        using var reader = await IncrementalReader.GetAsync(host.Client, $"/InlineResume/Again.{format}?n=3&waits=true");
        await reader.ReadAsync(received);
        var stopping = host.StopAsync();
        await Assert.ThrowsAnyAsync<IOException>(reader.ReadToEndAsync);
        Assert.Equal(received, reader.Text);
        await stopping;
        await host.DisposeAsync();
    }

    [Theory(Timeout = Limit)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Isolated_streams_that_were_left_give_way_to_calls_of_their_pool(int workers)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Options = static options => options.ResumeWindow = TimeSpan.FromHours(1),
            Weir = options => TestPools.StartOnDemand(options, pool => (pool.StartTimeout, pool.MaxWorkers, pool.Concurrency) = (TimeSpan.FromMinutes(1), workers, 1)),
        });
        for (var i = 0; i < workers; i++)
        {
            using var reader = await IncrementalReader.GetAsync(host.Client, "/IsolatedResume/Kept?n=1&waits=true", ResumingReader.Marked);
            await reader.ReadAsync("0\n");
        }

        // Without it, after an hour.
        Assert.Equal("[0,1,2]", await host.Client.GetStringAsync("/IsolatedResume/Kept.json?n=3", Cancel));
    }

    private static async Task CutAsync(string path, string accept, int items, int cuts)
    {
        var random = new Random(items + cuts);
        await using var host = await StartAsync();
        using var reader = new ResumingReader(host.Http1);
        await reader.ReadAsync($"{path}?n={items}", accept, Enumerable.Range(0, cuts).Select(_ => random.NextInt64(1, items)).Order().ToList());
        Assert.Equal(items, reader.Count);
        Assert.InRange(reader.Attempts, cuts * 9 / 10, cuts + 1);
    }

    private static async Task<HttpResponseMessage> GetAsync(WeirHost host, string path, string? accept, string id)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        if (accept is not null)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }

        request.Headers.TryAddWithoutValidation("Last-Event-ID", id);
        return await host.Client.SendAsync(request, Cancel);
    }

    private static Task<WeirHost> StartAsync() => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options, static pool => pool.StartTimeout = TimeSpan.FromMinutes(1)),
        Services = static builder => builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromSeconds(4)),
    });
}
