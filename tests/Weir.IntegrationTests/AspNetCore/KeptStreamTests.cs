using System.Net;
using System.Runtime.CompilerServices;
using System.Security.Claims;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Streams whose items the host keeps for a reader whose connection was cut.</summary>
public sealed partial class KeptStreamTests
{
    private const string Path = "/Probe/Numbers";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ResumingReader.Events)]
    [InlineData(ResumingReader.Marked)]
    public async Task The_operation_runs_once_and_continues_without_a_reader(string accept)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 5);
        using var reader = new ResumingReader(host.Http1);
        producer.Allow(2);
        await reader.AttemptAsync(Path, accept, cut: 2);
        producer.Allow(2);
        await reader.AttemptAsync(Path, accept, cut: 3);
        producer.Allow(1);
        await reader.AttemptAsync(Path, accept, long.MaxValue);
        Assert.Equal((5, 3, 5), (reader.Count, reader.Attempts, producer.Given));
        Assert.Matches("^[0-9a-f]{32}$", reader.Stream);
    }

    [Fact]
    public async Task Any_format_can_continue_a_stream_also_one_without_an_item_so_far()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 3);
        producer.Allow(3);
        using var first = await IncrementalReader.GetAsync(host.Client, Path, ResumingReader.Marked);
        Assert.Equal("0\n1\n2\n{\"$weir\":{\"ok\":true,\"count\":3}}\n", await first.ReadToEndAsync());
        var id = first.Response.Headers.GetValues("Weir-Stream").Single();
        foreach (var (format, last, text) in (ReadOnlySpan<(string, int, string)>)[
            ("application/json", -1, "[0,1,2]"), ("application/json", 0, "[1,2]"), ("application/x-ndjson", 1, "2\n"),
            (ResumingReader.Events, 1, $"id: {id}.2\ndata: 2\n\nid: $end\nevent: end\ndata: {{\"count\":3}}\n\n"), ("application/json", 2, "[]")])
        {
            using var response = host.Client.Send(Continue(format, $"{id}.{last}"), Cancel);
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            using var body = new StreamReader(response.Content.ReadAsStream(Cancel));
            Assert.Equal(text, body.ReadToEnd());
        }
    }

    [Fact]
    public async Task A_thousand_forged_and_foreign_ids_find_nothing()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 5);
        producer.Allow(1);
        using var request = Continue(ResumingReader.Marked, null, user: "anna");
        using var owner = new IncrementalReader(await host.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel));
        await owner.ReadAsync("0\n");
        var id = owner.Response.Headers.GetValues("Weir-Stream").Single();
        var random = new Random(1);
        var answers = new HashSet<string>();
        for (var i = 0; i < 1000; i++)
        {
            var forged = new byte[16];
            random.NextBytes(forged);
            var (last, user, path) = (i % 5) switch
            {
                0 => (id, "bert", Path),
                1 => (id, null, Path),
                2 => (id, "anna", Path + "?x=1"),
                3 => (Convert.ToHexStringLower(forged), "anna", Path),
                _ => (id[..^1] + (char)(id[^1] == '0' ? '1' : '0'), "anna", Path),
            };
            using var foreign = Continue(ResumingReader.Marked, $"{last}.0", user, path);
            using var response = await host.Client.SendAsync(foreign, Cancel);
            Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
            answers.Add(TraceId().Replace(await response.Content.ReadAsStringAsync(Cancel), ""));
        }

        Assert.Contains("\"code\":\"WEIR2022\"", Assert.Single(answers), StringComparison.Ordinal);
        foreach (var wrong in (string[])["0", "x", "", $"{id}.", $"{id}.5", $"{id}.-2", $"{id}.9223372036854775807", $"{id.ToUpperInvariant()}.0"])
        {
            using var malformed = Continue(ResumingReader.Marked, wrong, "anna");
            using var response = await host.Client.SendAsync(malformed, Cancel);
            Assert.Equal((wrong, HttpStatusCode.NotFound), (wrong, response.StatusCode));
        }

        // The owner's response has not noticed anything.
        producer.Allow(4);
        Assert.EndsWith("{\"$weir\":{\"ok\":true,\"count\":5}}\n", await owner.ReadToEndAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_caller_who_is_authenticated_without_a_name_gets_an_ordinary_stream()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 1);
        producer.Allow(1);
        using var request = Continue(ResumingReader.Marked, null, user: "");
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal("0\n{\"$weir\":{\"ok\":true,\"count\":1}}\n", await response.Content.ReadAsStringAsync(Cancel));
        Assert.False(response.Headers.Contains("Weir-Stream"));
    }

    [Theory]
    [InlineData("application/json", "[0")]
    [InlineData("application/x-ndjson", "0\n")]
    public async Task A_reader_that_could_not_say_where_it_was_gets_an_ordinary_stream(string accept, string text)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 100);
        producer.Allow(1);
        using (var reader = await IncrementalReader.GetAsync(host.Client, Path, accept))
        {
            await reader.ReadAsync(text);
            Assert.False(reader.Response.Headers.Contains("Weir-Stream"));
        }

        await producer.StopsAsync();
    }

    [Fact]
    public async Task After_the_window_the_operation_is_stopped_and_its_items_are_gone()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 100, options => options.ResumeWindow = TimeSpan.FromMilliseconds(50));
        using var reader = new ResumingReader(host.Http1);
        producer.Allow(1);
        await reader.AttemptAsync(Path, ResumingReader.Marked, cut: 1);
        await producer.StopsAsync();
        using var late = Continue(ResumingReader.Marked, $"{reader.Stream}.0");
        using var response = await host.Client.SendAsync(late, Cancel);
        Assert.Equal(HttpStatusCode.Gone, response.StatusCode);
        Assert.Contains("\"code\":\"WEIR2021\"", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_reader_that_connects_again_cuts_its_earlier_connection()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 3);
        producer.Allow(1);
        using var first = await IncrementalReader.GetAsync(host.Client, Path, ResumingReader.Marked);
        await first.ReadAsync("0\n");
        using var request = Continue(ResumingReader.Marked, first.Response.Headers.GetValues("Weir-Stream").Single() + ".0");
        var sending = host.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel);
        await Assert.ThrowsAnyAsync<IOException>(first.ReadToEndAsync);
        Assert.Equal("0\n", first.Text);
        producer.Allow(2);
        using var second = new IncrementalReader(await sending);
        Assert.Equal("1\n2\n{\"$weir\":{\"ok\":true,\"count\":3}}\n", await second.ReadToEndAsync());
    }

    [Fact]
    public async Task A_failure_is_the_end_of_every_response_and_logged_once()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 5, failAt: 1);
        producer.Allow(1);
        using var first = await IncrementalReader.GetAsync(host.Client, Path, ResumingReader.Marked);
        await first.ReadAsync("0\n");
        producer.Allow(1);
        Assert.Contains("\"index\":1}}\n", await first.ReadToEndAsync(), StringComparison.Ordinal);
        var id = first.Response.Headers.GetValues("Weir-Stream").Single();
        foreach (var (last, begin) in ((int, string)[])[(-1, "0\n{\"$weir\":{\"problem\":"), (0, "{\"$weir\":{\"problem\":")])
        {
            using var request = Continue(ResumingReader.Marked, $"{id}.{last}");
            using var again = await host.Client.SendAsync(request, Cancel);
            Assert.Equal(HttpStatusCode.OK, again.StatusCode);
            Assert.StartsWith(begin, await again.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        }

        await host.StopAsync();
        Assert.Single(host.Log.Lines, static line => line.Event == 4201);
    }

    [Fact]
    public async Task A_failure_before_the_first_item_is_an_ordinary_response_and_keeps_nothing()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 5, failAt: 0);
        producer.Allow(1);
        using var request = Continue(ResumingReader.Marked, null);
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.ToString());
        Assert.False(response.Headers.Contains("Weir-Stream"));
    }

    [Fact]
    public async Task The_filters_of_an_endpoint_run_for_each_request_and_those_of_the_operation_once()
    {
        var (endpoint, operation) = (0, 0);
        using var producer = new Producer();
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [Catalog(producer, 2)],
            Weir = options =>
            {
                options.RunInline = true;
                options.Filters.Add((_, next) =>
                {
                    operation++;
                    return next();
                });
            },
            After = (_, mapped) => mapped.AddEndpointFilter((context, next) =>
            {
                endpoint++;
                return next(context);
            }),
        });
        using var reader = new ResumingReader(host.Http1);
        producer.Allow(1);
        await reader.AttemptAsync(Path, ResumingReader.Marked, cut: 1);
        producer.Allow(1);
        await reader.AttemptAsync(Path, ResumingReader.Marked, long.MaxValue);
        Assert.Equal((2, 2, 1), (reader.Count, endpoint, operation));
    }

    [Fact]
    public async Task A_filter_that_skips_the_operation_answers()
    {
        using var producer = new Producer();
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [Catalog(producer, 2)],
            Weir = static options =>
            {
                options.RunInline = true;
                options.Filters.Add(static (context, _) =>
                {
                    context.StatusCode = 202;
                    return default;
                });
            },
        });
        using var request = Continue(ResumingReader.Marked, null);
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        Assert.Equal("", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task New_streams_are_never_refused_for_those_that_were_left_and_begin_as_ordinary_ones_where_all_have_readers()
    {
        await using var host = await WeirHost.StartAsync(
            static options => (options.ResumeBufferSize, options.ResumeMemoryLimit) = (16 * 1024, 64 * 1024),
            Probe.Stream("Numbers", static (_, context) => OneAsync(context.CancellationToken), resumption: Resumption.Buffer));
        for (var i = 0; i < 100; i++)
        {
            using var left = await host.Client.SendAsync(Continue(ResumingReader.Marked, null), HttpCompletionOption.ResponseHeadersRead, Cancel);
            Assert.Equal(HttpStatusCode.OK, left.StatusCode);
        }

        // The host has noticed it soon after they left.
        var running = new List<HttpResponseMessage>();
        do
        {
            running.ForEach(static one => one.Dispose());
            running = [await host.Client.SendAsync(Continue(ResumingReader.Marked, null), HttpCompletionOption.ResponseHeadersRead, Cancel)];
        }
        while (!running[0].Headers.Contains("Weir-Stream"));

        for (var i = 0; i < 30; i++)
        {
            running.Add(await host.Client.SendAsync(Continue(ResumingReader.Marked, null), HttpCompletionOption.ResponseHeadersRead, Cancel));
            Assert.Equal(HttpStatusCode.OK, running[^1].StatusCode);
        }

        Assert.False(running[^1].Headers.Contains("Weir-Stream"));
        running.ForEach(static one => one.Dispose());
    }

    [Fact]
    public async Task A_host_that_stops_asks_the_reader_to_connect_again_and_stops_the_operations_without_one()
    {
        using var left = new Producer();
        using var attached = new Producer();
        var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Operation("Left", left, 5), Operation("Numbers", attached, 5))],
            Services = static builder => builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromSeconds(4)),
        });
        using var gone = new ResumingReader(host.Http1);
        using var reader = new ResumingReader(host.Http1);
        left.Allow(1);
        await gone.AttemptAsync("/Probe/Left", ResumingReader.Marked, cut: 1);
        attached.Allow(1);
        var reading = reader.AttemptAsync(Path, ResumingReader.Marked, long.MaxValue);
        while (reader.Count < 1)
        {
            await Task.Delay(1, Cancel);
        }

        var stopping = host.StopAsync();
        await left.StopsAsync();
        await stopping;
        await reading;
        await attached.StopsAsync();
        Assert.Equal((1, 1), (reader.Count, reader.Retries));
        await host.DisposeAsync();
    }

    [GeneratedRegex(",\"traceId\":\"[^\"]*\"")]
    private static partial Regex TraceId();

    private static async IAsyncEnumerable<int> OneAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        yield return 0;
        await Task.Delay(Timeout.Infinite, cancellationToken);
    }

    private static HttpRequestMessage Continue(string accept, string? last, string? user = null, string path = Path)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.TryAddWithoutValidation("Accept", accept);
        if (last is not null)
        {
            request.Headers.TryAddWithoutValidation("Last-Event-ID", last);
        }

        if (user is not null)
        {
            request.Headers.TryAddWithoutValidation("X-User", user);
        }

        return request;
    }

    private static Operation Operation(string name, Producer producer, int count, int failAt = -1) =>
        Probe.Stream(name, (_, context) => producer.Items(count, failAt: failAt, cancellationToken: context.CancellationToken), resumption: Resumption.Buffer);

    private static ProbeCatalog Catalog(Producer producer, int count, int failAt = -1) => new(Operation("Numbers", producer, count, failAt));

    private static Task<WeirHost> StartAsync(Producer producer, int count, Action<WeirServerOptions>? options = null, int failAt = -1) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = [Catalog(producer, count, failAt)],
        Options = options,
        Before = static app => app.Use(static (http, next) =>
        {
            if (http.Request.Headers.TryGetValue("X-User", out var name))
            {
                http.User = new ClaimsPrincipal(new ClaimsIdentity(name == "" ? [] : [new Claim(ClaimTypes.NameIdentifier, name.ToString())], "Test"));
            }

            return next(http);
        }),
    });
}
