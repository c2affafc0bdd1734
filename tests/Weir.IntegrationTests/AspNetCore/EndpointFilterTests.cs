using System.ComponentModel;
using System.Net;
using System.Reflection;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Endpoint filters of ASP.NET Core around operations, wherever those run: as around a minimal API.</summary>
public sealed class EndpointFilterTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static TheoryData<string> OneResult => ["Inline", "Lane", "Worker"];

    public static TheoryData<string> Streamed => ["Stream", "WorkerStream"];

    [Theory]
    [MemberData(nameof(OneResult))]
    public async Task Filters_read_and_replace_arguments_and_results(string operation)
    {
        var seen = new List<object?>();
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter(async (context, next) =>
        {
            seen.Add(context.GetArgument<int>(1));
            seen.Add(context.Arguments[2] is CancellationToken { CanBeCanceled: true });
            context.Arguments[1] = 100 + context.GetArgument<int>(1);
            var result = await next(context);
            seen.Add(result);
            return (int)result! + 1;
        }));

        using var response = await host.Client.GetAsync($"/Filtered/{operation}?x=1", Cancel);

        Assert.Equal(("102", "application/json"), (await response.Content.ReadAsStringAsync(Cancel), response.Content.Headers.ContentType?.ToString()));
        Assert.Equal([1, true, 101], seen);
    }

    [Theory]
    [MemberData(nameof(Streamed))]
    public async Task Filters_of_a_stream_run_before_its_first_item(string operation)
    {
        var runs = -1;
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter(async (context, next) =>
        {
            Filtered.Runs = 0;
            context.Arguments[1] = 100 + context.GetArgument<int>(1);
            context.HttpContext.Response.Headers["X-Filter"] = "ran";
            var result = await next(context);
            runs = Filtered.Runs;
            Assert.IsAssignableFrom<IResult>(result);
            return result;
        }));

        using var response = await host.Client.GetAsync($"/Filtered/{operation}.ndjson?x=1", Cancel);

        Assert.Equal("101\n102\n", await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(["ran"], response.Headers.GetValues("X-Filter"));
        Assert.Equal(0, runs);
    }

    [Theory]
    [InlineData("Inline")]
    [InlineData("Lane")]
    [InlineData("Stream")]
    [InlineData("Nothing")]
    public async Task A_filter_that_does_not_call_next_answers_and_nothing_runs(string operation)
    {
        Filtered.Runs = 0;
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter(static (_, _) => new(Results.Unauthorized())));

        using var response = await host.Client.GetAsync($"/Filtered/{operation}?x=1", Cancel);

        Assert.Equal((HttpStatusCode.Unauthorized, ""), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        Assert.Equal(0, Filtered.Runs);
    }

    [Theory]
    [InlineData("Inline", "text", 200, "text/plain; charset=utf-8", "instead")]
    [InlineData("Inline", "own", 200, "application/json", "7")]
    [InlineData("Inline", "object", 200, "application/json; charset=utf-8", """{"day":3}""")]
    [InlineData("Inline", "null", 200, "application/json; charset=utf-8", "null")]
    [InlineData("Inline", "problem", 418, "application/problem+json", "tea")]
    [InlineData("Inline", "created", 201, "application/json; charset=utf-8", """{"day":4}""")]
    [InlineData("Text", "text", 200, "text/plain; charset=utf-8", "instead")]
    [InlineData("Text", "null", 200, "application/json", "null")]
    [InlineData("Nothing", "null", 204, null, "")]
    [InlineData("Nothing", "text", 200, "text/plain; charset=utf-8", "instead")]
    [InlineData("Nothing", "empty", 200, null, "")]
    [InlineData("Stream", "own", 200, "application/json; charset=utf-8", "7")]
    [InlineData("Stream", "text", 200, "text/plain; charset=utf-8", "instead")]
    [InlineData("Worker", "created", 201, "application/json; charset=utf-8", """{"day":4}""")]
    public async Task What_a_filter_returns_in_place_of_the_result_is_written_as_in_a_minimal_api(string operation, string kind, int status, string? mediaType, string body)
    {
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter((_, _) => new(Instead(kind))));

        using var response = await host.Client.GetAsync($"/Filtered/{operation}?x=1", Cancel);

        Assert.Equal((status, mediaType), ((int)response.StatusCode, response.Content.Headers.ContentType?.ToString()));
        var text = await response.Content.ReadAsStringAsync(Cancel);
        Assert.True(kind == "problem" ? text.Contains(body, StringComparison.Ordinal) : text == body, text);
    }

    [Theory]
    [InlineData("Inline", "/Filtered/Inline?x=5", "application/json", "5")]
    [InlineData("Text in its own format", "/Filtered/Text.json?x=a", "application/json", "\"text a\"")]
    [InlineData("A worker's object that the filter has changed", "/Filtered/WorkerNote", "application/json", """{"text":"changed"}""")]
    [InlineData("A value that was sent to a worker", "/Filtered/Worker?x=5", "application/json", "5")]
    public async Task A_result_that_no_filter_replaces_is_written_in_the_formats_of_its_operation(string what, string path, string mediaType, string body)
    {
        Assert.NotNull(what);
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter(static async (context, next) =>
        {
            var result = await next(context);
            if (result is FilteredNote note)
            {
                note.Text = "changed";
            }

            return result;
        }));

        using var content = path.EndsWith("Note", StringComparison.Ordinal) ? new StringContent("""{"text":"sent"}""", Encoding.UTF8, "application/json") : null;
        using var request = new HttpRequestMessage(content is null ? HttpMethod.Get : HttpMethod.Post, path) { Content = content };
        using var response = await host.Client.SendAsync(request, Cancel);

        Assert.Equal((mediaType, body), (response.Content.Headers.ContentType?.ToString(), await response.Content.ReadAsStringAsync(Cancel)));
    }

    [Fact]
    public async Task An_operation_without_a_result_answers_204_behind_filters_too()
    {
        object? seen = null;
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter(async (context, next) => seen = await next(context)));

        using var response = await host.Client.GetAsync("/Filtered/Nothing?x=1", Cancel);

        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Same(Microsoft.AspNetCore.Http.HttpResults.EmptyHttpResult.Instance, seen);
    }

    [Fact]
    public async Task Filters_run_from_the_outermost_group_inwards_and_in_the_order_of_their_registration()
    {
        var order = new List<string>();
        EndpointFilterDelegate Mark(string name, EndpointFilterDelegate next) => async context =>
        {
            order.Add(name);
            var result = await next(context);
            order.Add("~" + name);
            return result;
        };
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Weir = static options => TestPools.StartOnDemand(options),
            Prefix = null,
            Services = builder => builder.Services.AddSingleton(order),
            After = (app, _) =>
            {
                var outer = app.MapGroup("/outer").AddEndpointFilterFactory((_, next) => Mark("outer", next));
                var inner = outer.MapGroup("/inner").AddEndpointFilterFactory((_, next) => Mark("inner", next));
                var mapped = inner.MapWeirService<Filtered>();
                mapped.AddEndpointFilterFactory((_, next) => Mark("first", next));
                mapped.AddEndpointFilterFactory((_, next) => next);
                mapped.AddEndpointFilter<OrderFilter>().AddEndpointFilter((context, next) => Mark("last", next)(context));
                app.MapWeirService<Filtered>();
            },
        });

        Assert.Equal("5", await host.Client.GetStringAsync("/outer/inner/Filtered/Inline?x=5", Cancel));
        Assert.Equal(["outer", "inner", "first", "second", "last", "~last", "~second", "~first", "~inner", "~outer"], order);

        order.Clear();
        Assert.Equal("5", await host.Client.GetStringAsync("/Filtered/Inline?x=5", Cancel));
        Assert.Empty(order);
    }

    [Fact]
    public async Task A_factory_sees_the_parameters_and_attributes_of_the_method()
    {
        var seen = new HashSet<string>();
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilterFactory((factory, next) =>
        {
            var method = factory.MethodInfo;
            if (method.GetCustomAttribute<DescriptionAttribute>() is { } description)
            {
                seen.Add($"{description.Description} {method.Name} {string.Join(' ', method.GetParameters().Select(static one => $"{one.ParameterType.Name} {one.Name}"))} {method.GetParameters()[1].GetCustomAttribute<DescriptionAttribute>()!.Description}");
            }

            return next;
        }));

        Assert.Equal(["inline Inline OperationContext context Int32 x CancellationToken ct a number"], seen);
        Assert.Equal("5", await host.Client.GetStringAsync("/Filtered/Inline?x=5", Cancel));
    }

    [Theory]
    [InlineData("/Filtered/Inline", 400)]
    [InlineData("/Filtered/Inline?x=a", 400)]
    [InlineData("/Filtered/Inline.xml?x=1", 404)]
    [InlineData("/Filtered/Unknown?x=1", 404)]
    public async Task What_runs_no_operation_runs_no_filter(string path, int status)
    {
        var runs = 0;
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter((_, _) =>
        {
            runs++;
            return new("filtered");
        }));

        using var response = await host.Client.GetAsync(path, Cancel);

        Assert.Equal(status == 404 && path.Contains(".xml", StringComparison.Ordinal) ? 406 : status, (int)response.StatusCode);
        Assert.Equal(0, runs);
    }

    [Theory]
    [InlineData("/Filtered/Inline.json?x=1", "GET")]
    [InlineData("/filtered/inline/?x=1", "GET")]
    [InlineData("/Filtered/Inline?x=1", "HEAD")]
    [InlineData("/Filtered/Inline?x=1", "POST")]
    [InlineData("/Filtered/Stream.sse?x=1", "HEAD")]
    public async Task No_path_and_no_verb_of_an_operation_goes_around_a_filter(string path, string verb)
    {
        await using var host = await StartAsync(static mapped => mapped.AddEndpointFilter(static (_, _) => new(Results.StatusCode(403))));

        using var response = await host.Client.SendAsync(new HttpRequestMessage(new HttpMethod(verb), path), Cancel);

        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
    }

    [Theory]
    [InlineData("Fail")]
    [InlineData("WorkerFail")]
    public async Task A_filter_can_catch_what_the_operation_throws(string operation)
    {
        await using var host = await StartAsync(static mapped => mapped.AddEndpointFilter(static async (context, next) =>
        {
            try
            {
                return await next(context);
            }
            catch (Exception error)
            {
                return error.Message;
            }
        }));

        using var response = await host.Client.GetAsync($"/Filtered/{operation}?x=1", Cancel);

        Assert.Equal(("failed 1", "text/plain; charset=utf-8"), (await response.Content.ReadAsStringAsync(Cancel), response.Content.Headers.ContentType?.ToString()));
    }

    [Theory]
    [InlineData("throws", "WEIR2007", "filter failed")]
    [InlineData("twice", "WEIR2007", "call it at most once")]
    [InlineData("type", "WEIR2007", "replaced the argument 'x' of Filtered/Inline by System.String; it must be int")]
    [InlineData("null", "WEIR2007", "replaced the argument 'x' of Filtered/Inline by null; it must be int")]
    [InlineData("token", "WEIR2007", "only arguments that callers supply can be replaced")]
    [InlineData("count", "WEIR2007", "passed on 1 arguments, and the method of Filtered/Inline has 3 parameters")]
    public async Task A_filter_that_fails_is_a_failure_of_the_call(string mistake, string code, string message)
    {
        await using var host = await StartAsync(
            mapped => mapped.AddEndpointFilter(async (context, next) =>
            {
                switch (mistake)
                {
                    case "throws":
                        throw new InvalidOperationException("filter failed");
                    case "twice":
                        await next(context);
                        break;
                    case "type":
                        context.Arguments[1] = "5";
                        break;
                    case "null":
                        context.Arguments[1] = null;
                        break;
                    case "token":
                        context.Arguments[2] = new CancellationToken(true);
                        break;
                    case "count":
                        context = EndpointFilterInvocationContext.Create(context.HttpContext, 5);
                        break;
                }

                return await next(context);
            }),
            static options => options.IncludeExceptionDetails = true);

        using var response = await host.Client.GetAsync("/Filtered/Inline?x=1", Cancel);

        var body = await response.Content.ReadAsStringAsync(Cancel);
        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        Assert.Contains(code, body, StringComparison.Ordinal);
        Assert.Contains(message, System.Text.RegularExpressions.Regex.Unescape(body), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_filter_can_pass_on_a_context_of_its_own()
    {
        await using var host = await StartAsync(static mapped => mapped.AddEndpointFilter(static (context, next) =>
            next(EndpointFilterInvocationContext.Create(context.HttpContext, context.Arguments[0], context.GetArgument<int>(1) + 10, context.GetArgument<CancellationToken>(2)))));

        Assert.Equal("11", await host.Client.GetStringAsync("/Filtered/Inline?x=1", Cancel));
    }

    [Fact]
    public async Task A_streamed_request_passes_filters()
    {
        var ran = false;
        await using var host = await StartAsync(mapped => mapped.AddEndpointFilter((context, next) =>
        {
            ran = context.Arguments.Count == 1;
            return next(context);
        }));

        using var content = new StringContent("1\n2\n", Encoding.UTF8, "application/x-ndjson");
        using var response = await host.Client.PostAsync("/Filtered/Sum", content, Cancel);

        Assert.Equal("3", await response.Content.ReadAsStringAsync(Cancel));
        Assert.True(ran);
    }

    [Fact]
    public async Task The_status_that_a_filter_sets_is_that_of_the_result()
    {
        await using var host = await StartAsync(static mapped => mapped.AddEndpointFilter(static (context, next) =>
        {
            context.HttpContext.Response.StatusCode = 202;
            return next(context);
        }));

        using var response = await host.Client.GetAsync("/Filtered/Inline?x=1", Cancel);

        Assert.Equal((HttpStatusCode.Accepted, "1"), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
    }

    [Fact]
    public async Task The_time_that_filters_take_is_part_of_the_deadline()
    {
        await using var host = await StartAsync(static mapped => mapped.AddEndpointFilter(static async (context, next) =>
        {
            await Task.Delay(200, context.HttpContext.RequestAborted);
            return await next(context);
        }));

        using var request = new HttpRequestMessage(HttpMethod.Get, "/Filtered/Inline?x=1") { Headers = { { "Weir-Deadline-Ms", "100" } } };
        using var response = await host.Client.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.GatewayTimeout, response.StatusCode);
    }

    private static object? Instead(string kind) => kind switch
    {
        "text" => "instead",
        "own" => 7,
        "object" => new { Day = 3 },
        "problem" => Results.Problem("tea", statusCode: 418),
        "created" => Results.Created((string?)null, new { Day = 4 }),
        "empty" => Results.Empty,
        _ => null,
    };

    private static Task<WeirHost> StartAsync(Action<WeirEndpointConventionBuilder> filter, Action<WeirServerOptions>? options = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options, static pool => pool.MaxWorkers = 1),
        Options = options,
        Prefix = null,
        After = (app, _) => filter(app.MapWeirService<Filtered>()),
    });

    private sealed class OrderFilter(List<string> order) : IEndpointFilter
    {
        public async ValueTask<object?> InvokeAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
        {
            order.Add("second");
            var result = await next(context);
            order.Add("~second");
            return result;
        }
    }
}
