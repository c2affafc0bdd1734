using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Problems and exceptions pass through what the application registers for them: <c>AddProblemDetails</c>, <c>AddExceptionHandler</c>.</summary>
public sealed class ProblemServiceTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("/Filtered/Unknown", 404, "WEIR2002")]
    [InlineData("/Filtered/Sum", 405, "WEIR2003")]
    [InlineData("/Filtered/Fail?x=1", 500, "WEIR2007")]
    [InlineData("/Filtered/WorkerFail?x=1", 500, "WEIR2007")]
    [InlineData("/Filtered/Inline?x=a", 400, "WEIR2001")]
    public async Task A_customization_sees_and_changes_every_problem(string path, int status, string code)
    {
        ProblemDetailsContext? seen = null;
        await using var host = await StartAsync(services => services.AddProblemDetails(options => options.CustomizeProblemDetails = context =>
        {
            seen = context;
            context.ProblemDetails.Extensions["team"] = "orders";
            context.ProblemDetails.Title = "changed";
        }));

        using var response = await host.Client.GetAsync(path, Cancel);
        using var body = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));

        Assert.Equal((status, "application/problem+json"), ((int)response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        Assert.Equal((code, "orders", "changed", status), (Text(body, "code"), Text(body, "team"), Text(body, "title"), body.RootElement.GetProperty("status").GetInt32()));
        Assert.Equal("urn:weir:problem:" + code, Text(body, "type"));
        Assert.NotEmpty(Text(body, "traceId")!);
        Assert.Equal(path.Split('?')[0], Text(body, "instance"));
        Assert.Equal(status == 500, seen!.Exception is not null);
        Assert.Equal(status == 405, response.Content.Headers.Allow.Count > 0);
    }

    [Fact]
    public async Task Binding_errors_are_validation_problem_details_and_stand_there_in_full()
    {
        ProblemDetailsContext? seen = null;
        await using var host = await StartAsync(services => services.AddProblemDetails(options => options.CustomizeProblemDetails = context => seen = context));

        var custom = await host.Client.GetAsync("/Filtered/Inline?x=a", Cancel);
        await using var plain = await StartAsync(static _ => { });
        var own = await plain.Client.GetAsync("/Filtered/Inline?x=a", Cancel);
        using var first = JsonDocument.Parse(await custom.Content.ReadAsStringAsync(Cancel));
        using var second = JsonDocument.Parse(await own.Content.ReadAsStringAsync(Cancel));

        Assert.Equal(["expected a whole number from -2147483648 to 2147483647"], Assert.IsType<HttpValidationProblemDetails>(seen!.ProblemDetails).Errors["x"]);
        foreach (var member in second.RootElement.EnumerateObject().Where(static one => one.Name != "traceId"))
        {
            Assert.True(JsonElement.DeepEquals(member.Value, first.RootElement.GetProperty(member.Name)), member.Name);
        }
    }

    [Fact]
    public async Task A_caller_that_accepts_no_problem_of_the_service_gets_that_of_Weir()
    {
        var customized = 0;
        await using var host = await StartAsync(services => services.AddProblemDetails(options => options.CustomizeProblemDetails = _ => customized++));

        using var request = new HttpRequestMessage(HttpMethod.Get, "/Filtered/Unknown") { Headers = { { "Accept", "text/html" } } };
        using var response = await host.Client.SendAsync(request, Cancel);
        using var body = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));

        Assert.Equal((HttpStatusCode.NotFound, "WEIR2002", 0), (response.StatusCode, Text(body, "code"), customized));
    }

    [Theory]
    [InlineData("/Filtered/Fail?x=1", "InvalidOperationException: failed 1")]
    [InlineData("/Filtered/WorkerFail?x=1", "RemoteException: failed 1")]
    [InlineData("/Filtered/FailingStream?x=1", "InvalidOperationException: failed 1")]
    public async Task An_exception_handler_answers_for_user_code_wherever_it_ran(string path, string text)
    {
        await using var host = await StartAsync(static services => services.AddExceptionHandler<Declining>().AddExceptionHandler<Answering>());

        using var response = await host.Client.GetAsync(path, Cancel);

        Assert.Equal((HttpStatusCode.Conflict, $"declined {text} at /Filtered"), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Event == 4201);
    }

    [Theory]
    [InlineData("/Filtered/Inline?x=a", 400)]
    [InlineData("/Filtered/Unknown", 404)]
    [InlineData("/Filtered/Chosen", 410)]
    public async Task Exception_handlers_do_not_see_what_Weir_or_an_operation_answers(string path, int status)
    {
        await using var host = await StartAsync(static services => services.AddExceptionHandler<Answering>());
        using var response = await host.Client.GetAsync(path, Cancel);
        Assert.Equal(status, (int)response.StatusCode);
    }

    [Theory]
    [InlineData(typeof(Declining))]
    [InlineData(typeof(Broken))]
    public async Task An_exception_that_no_handler_answers_is_the_problem_of_Weir(Type handler)
    {
        await using var host = await StartAsync(
            services => services.AddSingleton(typeof(IExceptionHandler), handler),
            static options => options.MapException<InvalidOperationException>(409));

        using var response = await host.Client.GetAsync("/Filtered/Fail?x=1", Cancel);
        using var body = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));

        Assert.Equal((HttpStatusCode.Conflict, "failed 1"), (response.StatusCode, Text(body, "detail")));
    }

    [Theory]
    [InlineData(typeof(Leaving))]
    [InlineData(typeof(LeavingWithOwnFailure))]
    public async Task An_exception_handler_that_throws_after_the_client_left_hides_no_failure_of_the_operation(Type handler)
    {
        await using var host = await StartAsync(services => services.AddSingleton(typeof(IExceptionHandler), handler));
        var reached = Leaving.Reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var left = CancellationTokenSource.CreateLinkedTokenSource(Cancel);

        var sending = host.Client.GetAsync("/Filtered/Fail?x=1", left.Token);
        await reached.Task.WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        await left.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending);

        var failed = await host.Log.NextAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        Assert.Equal((4201, "failed 1"), (failed.Event, failed.Error?.Message));
        Assert.Equal(4202, (await host.Log.NextAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(20), Cancel)).Event);
        Assert.DoesNotContain(host.Log.Lines, static line => line.Text.Contains("handler", StringComparison.Ordinal) || (line.Category.Contains("Kestrel", StringComparison.Ordinal) && line.Level >= LogLevel.Error));

        // The connection is gone, the server is not.
        using var next = await host.Client.GetAsync("/Filtered/Unknown", Cancel);
        Assert.Equal(HttpStatusCode.NotFound, next.StatusCode);
    }

    [Fact]
    public async Task The_middleware_for_exceptions_and_Weir_call_a_handler_once()
    {
        Answering.Calls = 0;
        await using var host = await StartAsync(
            static services => services.AddProblemDetails().AddExceptionHandler<Answering>(), before: static app => app.UseExceptionHandler());

        using var response = await host.Client.GetAsync("/Filtered/Fail?x=1", Cancel);

        Assert.Equal((HttpStatusCode.Conflict, 1), (response.StatusCode, Answering.Calls));
    }

    [Fact]
    public async Task Status_code_pages_leave_problems_as_they_are_and_answer_for_a_status_without_a_body()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Weir = static options => TestPools.StartOnDemand(options),
            Prefix = null,
            Before = static app => app.UseStatusCodePages("text/plain", "page {0}"),
            After = static (app, _) =>
            {
                app.MapWeirService<Filtered>();
                app.MapWeirService<Filtered>("/guarded").AddEndpointFilter(static (_, _) => new(Results.Unauthorized()));
            },
        });

        using var unknown = await host.Client.GetAsync("/Filtered/Unknown", Cancel);
        Assert.Contains("WEIR2002", await unknown.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        using var guarded = await host.Client.GetAsync("/guarded/Filtered/Inline?x=1", Cancel);
        Assert.Equal("page 401", await guarded.Content.ReadAsStringAsync(Cancel));
    }

    private static string? Text(JsonDocument body, string member) => body.RootElement.GetProperty(member).GetString();

    private static Task<WeirHost> StartAsync(Action<IServiceCollection> services, Action<WeirServerOptions>? options = null, Action<WebApplication>? before = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options, static pool => pool.MaxWorkers = 1),
        Options = options,
        Services = builder => services(builder.Services),
        Before = before,
    });

    private sealed class Declining : IExceptionHandler
    {
        public ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
        {
            httpContext.Items["declined"] = "declined ";
            return new(false);
        }
    }

    private sealed class Answering : IExceptionHandler
    {
        internal static int Calls;

        public async ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
        {
            Calls++;
            Assert.Equal(500, httpContext.Response.StatusCode);
            Assert.Same(exception, httpContext.Features.Get<IExceptionHandlerFeature>()!.Error);
            httpContext.Response.StatusCode = 409;
            var path = httpContext.Features.Get<IExceptionHandlerPathFeature>()!.Path;
            await httpContext.Response.WriteAsync($"{httpContext.Items["declined"]}{exception.GetType().Name}: {exception.Message} at {path[..9]}", cancellationToken);
            return true;
        }
    }

    private class Leaving : IExceptionHandler
    {
        internal static TaskCompletionSource? Reached;

        public async ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
        {
            Reached!.TrySetResult();
            try
            {
                await Task.Delay(Timeout.Infinite, httpContext.RequestAborted);
            }
            catch (OperationCanceledException) when (GetType() != typeof(Leaving))
            {
                throw new NotSupportedException("the handler's own");
            }

            return true;
        }
    }

    private sealed class LeavingWithOwnFailure : Leaving;

    private sealed class Broken : IExceptionHandler
    {
        public ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken) => throw new NotSupportedException("the handler's own");
    }
}
