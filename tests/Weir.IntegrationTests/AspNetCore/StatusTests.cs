using System.Net;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Every status that a call can end with.</summary>
public sealed class StatusTests
{
    private static readonly Operation Echo = Probe.Result("Echo", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")]);
    private static readonly Operation Store = Probe.Result("Store", ResultKind.None, static (_, _) => null, verbs: Verbs.Put | Verbs.Delete);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("/Probe/Nothing", "Probe has no operation 'Nothing'.")]
    [InlineData("/probe/Echoo", "Probe has no operation 'Echoo'.")]
    [InlineData("/Probe/Echo/More", "Probe has no operation 'Echo/More'.")]
    [InlineData("/Probe/Echo.", "Probe has no operation 'Echo.'.")]
    [InlineData("/Probe/Echo.x.json", "Probe has no operation 'Echo.x.json'.")]
    [InlineData("/Probe", "The path needs the name of an operation after Probe.")]
    [InlineData("/Probe/", "The path needs the name of an operation after Probe.")]
    public async Task An_unknown_operation_of_a_service_is_404(string path, string detail)
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var response = await host.Client.GetAsync(path, Cancel);
        var problem = await response.ReadProblemAsync(404, WeirCodes.OperationNotFound);
        Assert.Equal(detail, problem.GetProperty("detail").GetString());
    }

    [Theory]
    [InlineData("/")]
    [InlineData("/Other/Echo")]
    [InlineData("/v2/Probe/Echo")]
    public async Task An_unknown_path_is_left_to_the_application(string path)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup { Catalogs = [new ProbeCatalog(Echo)], Prefix = "/v1/" });
        using var mapped = await host.Client.GetAsync("/v1/Probe/Echo?x=1", Cancel);
        Assert.Equal("1", await mapped.Content.ReadAsStringAsync(Cancel));
        using var response = await host.Client.GetAsync(path, Cancel);
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Null(response.Content.Headers.ContentType);
    }

    [Fact]
    public async Task A_void_result_is_204_without_a_body()
    {
        await using var host = await WeirHost.StartAsync(Store);
        using var response = await host.Client.PutAsync("/Probe/Store", null, Cancel);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Null(response.Content.Headers.ContentType);
        Assert.Equal("", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("GET", "Store", "PUT, DELETE, OPTIONS")]
    [InlineData("HEAD", "Store", "PUT, DELETE, OPTIONS")]
    [InlineData("PUT", "Echo", "GET, HEAD, POST, OPTIONS")]
    [InlineData("BREW", "Echo", "GET, HEAD, POST, OPTIONS")]
    [InlineData("PUT", "Echo.json", "GET, HEAD, POST, OPTIONS")]
    public async Task A_verb_that_is_not_answered_is_405_with_those_that_are(string verb, string operation, string allow)
    {
        await using var host = await WeirHost.StartAsync(Echo, Store);
        using var request = new HttpRequestMessage(new HttpMethod(verb), $"/Probe/{operation}");
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(allow, string.Join(", ", response.Content.Headers.Allow));
        if (verb != "HEAD")
        {
            await response.ReadProblemAsync(405, WeirCodes.MethodNotAllowed);
        }
    }

    [Fact]
    public async Task Options_are_answered_without_running_anything()
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var request = new HttpRequestMessage(HttpMethod.Options, "/Probe/Echo");
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Equal("GET, HEAD, POST, OPTIONS", string.Join(", ", response.Content.Headers.Allow));
    }

    [Fact]
    public async Task Head_has_the_headers_of_get_and_no_body()
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync("HEAD /Probe/Echo?x=12345 HTTP/1.1\nHost: x\nConnection: close");
        var answer = await connection.ReadToEndAsync();
        Assert.StartsWith("HTTP/1.1 200", answer, StringComparison.Ordinal);
        Assert.Contains("Content-Length: 5\r\n", answer, StringComparison.Ordinal);
        Assert.Contains("Content-Type: text/plain; charset=utf-8\r\n", answer, StringComparison.Ordinal);
        Assert.Equal("", connection.Body);
    }

    [Fact]
    public async Task Head_of_a_stream_does_not_run_its_producer()
    {
        var runs = 0;
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", (_, _) =>
        {
            Interlocked.Increment(ref runs);
            return AsyncEnumerable.Range(0, 3);
        }));
        using var request = new HttpRequestMessage(HttpMethod.Head, "/Probe/Numbers.ndjson");
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal("application/x-ndjson", response.Content.Headers.ContentType?.ToString());
        Assert.Equal(0, runs);
    }

    [Theory]
    [InlineData("/Probe/Count", "text/html")]
    [InlineData("/Probe/Count", "application/json;q=0")]
    [InlineData("/Probe/Count.txt", null)]
    [InlineData("/Probe/Count.bin", null)]
    [InlineData("/Probe/Count.zzz", "application/json")]
    public async Task What_cannot_be_accepted_is_406_before_anything_runs(string path, string? accept)
    {
        var runs = 0;
        await using var host = await WeirHost.StartAsync(Probe.Result("Count", ResultKind.Value, (_, _) => Interlocked.Increment(ref runs)));
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        if (accept is not null)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }

        using var response = await host.Client.SendAsync(request, Cancel);
        var problem = await response.ReadProblemAsync(406, WeirCodes.NotAcceptable);
        Assert.Contains("json", problem.GetProperty("detail").GetString()!, StringComparison.Ordinal);
        Assert.Equal(0, runs);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_body_over_the_limit_is_413_with_and_without_a_length(bool chunked)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder => builder.Services.Configure<Microsoft.AspNetCore.Server.Kestrel.Core.KestrelServerOptions>(
                static kestrel => kestrel.Limits.MaxRequestBodySize = 1000),
        });
        using var connection = await RawConnection.OpenAsync(host.Http1);
        var body = "x=" + new string('y', 2000);
        await connection.SendAsync(
            $"POST /Probe/Echo HTTP/1.1\nHost: x\nContent-Type: application/x-www-form-urlencoded\n{(chunked ? "Transfer-Encoding: chunked" : $"Content-Length: {body.Length}")}",
            chunked ? $"{body.Length:x}\r\n{body}\r\n0\r\n\r\n" : body);
        var answer = await connection.ReadUntilAsync("}");
        Assert.StartsWith("HTTP/1.1 413", answer, StringComparison.Ordinal);
        Assert.Contains("\"code\":\"WEIR2005\"", answer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_body_over_the_limit_is_413_over_http_2()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder => builder.Services.Configure<Microsoft.AspNetCore.Server.Kestrel.Core.KestrelServerOptions>(
                static kestrel => kestrel.Limits.MaxRequestBodySize = 1000),
        });
        using var content = new StringContent("x=" + new string('y', 2000), Encoding.UTF8, "application/x-www-form-urlencoded");
        using var response = await host.Client2.PostAsync("/Probe/Echo", content, Cancel);
        await response.ReadProblemAsync(413, WeirCodes.BodyTooLarge);
    }

    [Theory]
    [InlineData("text/xml", "<x/>")]
    [InlineData("multipart/form-data; boundary=x", "--x--")]
    [InlineData("application/json; charset=utf-16", "{}")]
    [InlineData(null, "x=1")]
    public async Task A_body_of_another_media_type_is_415(string? mediaType, string body)
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
        content.Headers.TryAddWithoutValidation("Content-Type", mediaType);
        using var response = await host.Client.PostAsync("/Probe/Echo?x=1", content, Cancel);
        await response.ReadProblemAsync(415, WeirCodes.UnsupportedMediaType);

        using var empty = new ByteArrayContent([]);
        empty.Headers.TryAddWithoutValidation("Content-Type", mediaType);
        using var fine = await host.Client.PostAsync("/Probe/Echo?x=1", empty, Cancel);
        Assert.Equal(HttpStatusCode.OK, fine.StatusCode);
    }

    [Fact]
    public async Task An_empty_chunked_body_has_no_media_type_to_refuse()
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync("POST /Probe/Echo?x=1 HTTP/1.1\nHost: x\nConnection: close\nTransfer-Encoding: chunked", "0\r\n\r\n");
        Assert.StartsWith("HTTP/1.1 200", await connection.ReadToEndAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_full_queue_is_503_with_retry_after()
    {
        var wait = TimeSpan.FromMilliseconds(2100);
        await using var host = await WeirHost.StartAsync(Probe.Result(
            "Busy", ResultKind.Text, (_, _) => throw new CallRejectedException(WeirCodes.QueueFull, "10 calls wait; raise Queue.", wait)));
        using var response = await host.Client.GetAsync("/Probe/Busy", Cancel);
        await response.ReadProblemAsync(503, WeirCodes.QueueFull);
        Assert.Equal(TimeSpan.FromSeconds(3), response.Headers.RetryAfter?.Delta);
    }

    [Fact]
    public async Task A_full_lane_rejects_at_once()
    {
        using var gate = new ManualResetEventSlim();
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Probe.Result("Block", ResultKind.Text, (_, _) => gate.Wait(TimeSpan.FromSeconds(30)) ? "done" : "late", placement: Placement.Lane))],
            Services = static builder => builder.Services.AddSingleton(static services => new Weir.WeirRuntime(
                services.GetRequiredService<Weir.Runtime.WeirCatalogs>(), new Weir.WeirOptions { Lane = { MinThreads = 0, MaxThreads = 1, QueueLimit = 1 } }, services)),
        });
        var calls = Enumerable.Range(0, 8).Select(_ => host.Client.GetAsync("/Probe/Block", Cancel)).ToList();
        using (var first = await await Task.WhenAny(calls))
        {
            await first.ReadProblemAsync(503, WeirCodes.QueueFull);
            Assert.NotNull(first.Headers.RetryAfter);
        }

        gate.Set();
        var statuses = await Task.WhenAll(calls.Select(static async call => (int)(await call).StatusCode));
        Assert.Equal([200, 503], statuses.Distinct().Order());
    }

    [Theory]
    [InlineData("20", 504)]
    [InlineData("0", 504)]
    [InlineData("60000", 200)]
    public async Task A_deadline_of_the_caller_is_kept(string milliseconds, int status)
    {
        await using var host = await WeirHost.StartAsync(Probe.Result("Wait", ResultKind.Text, static (_, context) => WaitAsync(context)));
        using var request = new HttpRequestMessage(HttpMethod.Get, "/Probe/Wait");
        request.Headers.Add("Weir-Deadline-Ms", milliseconds);
        using var response = await host.Client.SendAsync(request, Cancel);
        if (status == 504)
        {
            await response.ReadProblemAsync(504, WeirCodes.DeadlineExceeded);
        }
        else
        {
            Assert.Equal(status, (int)response.StatusCode);
        }

        static async Task<object?> WaitAsync(OperationContext context)
        {
            if (context.Deadline - DateTimeOffset.UtcNow < TimeSpan.FromSeconds(30))
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, context.CancellationToken);
            }

            return "in time";
        }
    }

    [Theory]
    [InlineData("soon")]
    [InlineData("-1")]
    [InlineData("1.5")]
    [InlineData("3000000000")]
    public async Task A_deadline_that_is_no_number_is_one_fault_among_all(string text)
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var request = new HttpRequestMessage(HttpMethod.Get, "/Probe/Echo");
        request.Headers.Add("Weir-Deadline-Ms", text);
        using var response = await host.Client.SendAsync(request, Cancel);
        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(["Weir-Deadline-Ms header invalid", "x request missing"], problem.Errors());
    }

    [Fact]
    public async Task What_user_code_throws_is_500_and_stays_in_the_log()
    {
        await using var host = await WeirHost.StartAsync(Probe.Result("Fail", ResultKind.Text, static (_, _) => throw new InvalidOperationException("secret")));
        using var response = await host.Client.GetAsync("/Probe/Fail", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.DoesNotContain("secret", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        var line = await host.Log.NextAsync(Cancel);
        Assert.Equal((LogLevel.Error, "Probe/Fail failed (500, WEIR2007)."), (line.Level, line.Text));
        Assert.Equal("secret", line.Error?.Message);
    }

    [Fact]
    public async Task Details_of_what_was_thrown_come_by_option()
    {
        await using var host = await WeirHost.StartAsync(
            static options => options.IncludeExceptionDetails = true,
            Probe.Result("Fail", ResultKind.Text, static (_, _) => throw new InvalidOperationException("cause")));
        using var response = await host.Client.GetAsync("/Probe/Fail", Cancel);
        var problem = await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.Equal("System.InvalidOperationException: cause", problem.GetProperty("detail").GetString());
        Assert.Contains("StatusTests", problem.GetProperty("exception").GetString()!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_of_the_operations_own_is_a_failure_like_any_other()
    {
        await using var host = await WeirHost.StartAsync(Probe.Result("Fail", ResultKind.Text, static (_, _) => throw new OperationCanceledException()));
        using var response = await host.Client.GetAsync("/Probe/Fail", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
    }

    [Theory]
    [InlineData(WeirCodes.WorkerLost, 502)]
    [InlineData(WeirCodes.WorkerStartFailed, 502)]
    public async Task A_lost_worker_is_502_and_says_how(string code, int status)
    {
        await using var host = await WeirHost.StartAsync(Probe.Result(
            "Crash", ResultKind.Text, (_, _) => throw new WorkerLostException(code, "Worker 7 of pool p ended by signal 9.", "p", 7, "signal 9")));
        using var response = await host.Client.GetAsync("/Probe/Crash", Cancel);
        var problem = await response.ReadProblemAsync(status, code);
        Assert.Contains("signal 9", problem.GetProperty("detail").GetString()!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_status_of_the_operations_choice_comes_with_its_headers()
    {
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Move", ResultKind.None, static (_, _) => throw new OperationStatusException(302, headers: new Dictionary<string, string> { ["Location"] = "/there" })),
            Probe.Result("Conflict", ResultKind.Text, static (_, _) => throw new OperationStatusException(409, "taken: ü", new Dictionary<string, string> { ["ETag"] = "\"1\"" })),
            Probe.Result("Same", ResultKind.Text, static (_, _) => throw new OperationStatusException(304)));

        using var moved = await host.Client.GetAsync("/Probe/Move", Cancel);
        await moved.ReadProblemAsync(302, WeirCodes.OperationStatus);
        Assert.Equal("/there", moved.Headers.Location?.OriginalString);

        using var conflict = await host.Client.GetAsync("/Probe/Conflict", Cancel);
        Assert.Equal(HttpStatusCode.Conflict, conflict.StatusCode);
        Assert.Equal("text/plain; charset=utf-8", conflict.Content.Headers.ContentType?.ToString());
        Assert.Equal("\"1\"", conflict.Headers.ETag?.Tag);
        Assert.Equal("taken: ü", await conflict.Content.ReadAsStringAsync(Cancel));

        using var same = await host.Client.GetAsync("/Probe/Same", Cancel);
        Assert.Equal(HttpStatusCode.NotModified, same.StatusCode);
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task Filters_choose_status_and_headers()
    {
        await using var host = await WeirHost.StartAsync(Probe.Result("Make", ResultKind.Value, static (_, context) =>
        {
            context.StatusCode = 201;
            context.Headers["Location"] = "/made";
            return 1;
        }));
        using var response = await host.Client.PostAsync("/Probe/Make", null, Cancel);
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        Assert.Equal("/made", response.Headers.Location?.OriginalString);
        Assert.Equal("1", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("POST", null, 403)]
    [InlineData("GET", null, 200)]
    [InlineData("POST", "https://other.example", 403)]
    [InlineData("POST", "https://friend.example", 200)]
    public async Task A_cross_site_request_only_reads_unless_cors_knows_its_origin(string verb, string? origin, int status)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder => builder.Services.AddCors(static cors => cors.AddPolicy("friends", static policy => policy.WithOrigins("https://friend.example"))),
            Before = static app => app.UseCors(),
            After = static (_, mapped) => mapped.RequireCors("friends"),
        });
        using var request = new HttpRequestMessage(new HttpMethod(verb), "/Probe/Echo?x=1");
        request.Headers.Add("Sec-Fetch-Site", "cross-site");
        if (origin is not null)
        {
            request.Headers.Add("Origin", origin);
        }

        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(status, (int)response.StatusCode);
        if (status == 403)
        {
            await response.ReadProblemAsync(403, WeirCodes.CrossSiteRefused);
        }
        else if (origin is not null)
        {
            Assert.Equal([origin], response.Headers.GetValues("Access-Control-Allow-Origin"));
        }
    }

    [Fact]
    public async Task A_cors_preflight_is_answered_by_the_middleware()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder => builder.Services.AddCors(static cors => cors.AddDefaultPolicy(static policy => policy.WithOrigins("https://friend.example"))),
            Before = static app => app.UseCors(),
        });
        using var request = new HttpRequestMessage(HttpMethod.Options, "/Probe/Echo");
        request.Headers.Add("Origin", "https://friend.example");
        request.Headers.Add("Access-Control-Request-Method", "POST");
        using var preflight = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(["https://friend.example"], preflight.Headers.GetValues("Access-Control-Allow-Origin"));

        using var post = new HttpRequestMessage(HttpMethod.Post, "/Probe/Echo?x=1");
        post.Headers.Add("Origin", "https://friend.example");
        post.Headers.Add("Sec-Fetch-Site", "cross-site");
        using var response = await host.Client.SendAsync(post, Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task A_stranger_learns_nothing_about_parameters()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder =>
            {
                builder.Services.AddAuthentication("none").AddScheme<AuthenticationSchemeOptions, Stranger>("none", null);
                builder.Services.AddAuthorization();
            },
            After = static (_, mapped) => mapped.RequireAuthorization(),
        });
        foreach (var path in (string[])["/Probe/Echo", "/Probe/Echo.json", "/Probe/Nothing"])
        {
            using var response = await host.Client.GetAsync(path, Cancel);
            Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
        }
    }

    [Fact]
    public async Task Bytes_and_text_come_raw_and_null_as_json()
    {
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Bytes", ResultKind.Bytes, static (_, _) => new byte[] { 0, 255 }),
            Probe.Result("Null", ResultKind.Text, static (_, _) => null, nullable: true),
            Probe.Result("Broken", ResultKind.Value, static (_, _) => null),
            Probe.Result("Large", ResultKind.Text, static (_, _) => new string('ü', 300_000)));

        using var bytes = await host.Client.GetAsync("/Probe/Bytes", Cancel);
        Assert.Equal("application/octet-stream", bytes.Content.Headers.ContentType?.ToString());
        Assert.Equal([0, 255], await bytes.Content.ReadAsByteArrayAsync(Cancel));
        Assert.Equal("Accept", bytes.Headers.Vary.ToString());
        using var base64 = await host.Client.GetAsync("/Probe/Bytes.json", Cancel);
        Assert.Equal("\"AP8=\"", await base64.Content.ReadAsStringAsync(Cancel));
        Assert.Empty(base64.Headers.Vary);

        foreach (var path in (string[])["/Probe/Null", "/Probe/Null.txt", "/Probe/Null.json", "/Probe/Broken"])
        {
            using var none = await host.Client.GetAsync(path, Cancel);
            Assert.Equal("application/json", none.Content.Headers.ContentType?.ToString());
            Assert.Equal("null", await none.Content.ReadAsStringAsync(Cancel));
        }

        using var large = await host.Client.GetAsync("/Probe/Large", Cancel);
        Assert.Equal(600_000, large.Content.Headers.ContentLength);
        Assert.Equal(new string('ü', 300_000), await large.Content.ReadAsStringAsync(Cancel));
    }
}

/// <summary>Knows no user.</summary>
internal sealed class Stranger(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
{
    protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(AuthenticateResult.NoResult());
}
