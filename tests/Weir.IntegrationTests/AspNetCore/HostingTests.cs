using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>How Weir stands in an ASP.NET Core application.</summary>
public sealed class HostingTests
{
    private static readonly Operation Echo = Probe.Result("Echo", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")]);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Every_operation_is_an_endpoint_that_middleware_can_see()
    {
        var seen = new List<string?>();
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Before = app =>
            {
                app.UseRouting();
                app.Use((http, next) =>
                {
                    var endpoint = http.GetEndpoint();
                    seen.Add($"{endpoint?.DisplayName}|{endpoint?.Metadata.GetMetadata<Operation>()}|{endpoint?.Metadata.GetMetadata<string>()}");
                    return next(http);
                });
            },
            After = static (_, mapped) => mapped.WithMetadata("mine"),
        });
        await host.Client.GetStringAsync("/Probe/Echo?x=1", Cancel);
        await host.Client.GetStringAsync("/probe/echo.TXT/?x=1", Cancel);
        using var missing = await host.Client.GetAsync("/Probe/Nothing", Cancel);
        Assert.Equal(["Weir: Probe/Echo|Probe/Echo|mine", "Weir: Probe/Echo.txt|Probe/Echo|mine", "Weir: Probe||mine"], seen);
    }

    [Fact]
    public async Task A_call_that_never_ends_does_not_keep_the_host_beyond_its_shutdown_time_out()
    {
        using var gate = new ManualResetEventSlim();
        var running = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var stuck = Probe.Result(
            "Stuck",
            ResultKind.None,
            (_, _) =>
            {
                running.SetResult();
                gate.Wait();
                return null;
            },
            placement: Placement.Lane);
        var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(stuck)],
            Services = static builder => builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromSeconds(1)),
        });
        var asking = host.Client.PostAsync("/Probe/Stuck", null, Cancel);
        await running.Task.WaitAsync(Cancel);
        try
        {
            await host.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        }
        finally
        {
            gate.Set();
        }

        await Assert.ThrowsAnyAsync<Exception>(() => asking);
    }

    [Fact]
    public async Task A_middleware_that_blocks_after_the_operation_does_not_hold_a_thread_of_the_lane()
    {
        using var gate = new ManualResetEventSlim();
        var blocked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var echo = Probe.Result("Lane", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")], placement: Placement.Lane);
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(echo)],
            Weir = static weir => (weir.Lane.MinThreads, weir.Lane.MaxThreads) = (1, 1),
            Before = app => app.Use(async (http, next) =>
            {
                await next(http);
                if (http.Request.Query["x"] == "blocks")
                {
                    blocked.SetResult();
                    gate.Wait(Cancel);
                }
            }),
        });
        var asking = host.Client.GetStringAsync("/Probe/Lane?x=blocks", Cancel);
        await blocked.Task.WaitAsync(Cancel);

        // On another connection: the first one is the middleware's until it returns.
        Assert.Equal("other", await host.Client2.GetStringAsync("/Probe/Lane?x=other", Cancel));
        gate.Set();
        Assert.Equal("blocks", await asking);
    }

    [Theory]
    [InlineData("")]
    [InlineData("/v1")]
    [InlineData("/{tenant}/v1/")]
    public async Task Operations_can_stand_under_a_prefix_and_in_a_group(string prefix)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Prefix = prefix,
            After = (app, _) => app.MapGroup("/group").MapWeir(prefix).WithMetadata("grouped"),
        });
        foreach (var group in (string[])["", "/group"])
        {
            var path = group + prefix.Replace("{tenant}", "me", StringComparison.Ordinal).TrimEnd('/');
            Assert.Equal("\"a\"", await host.Client.GetStringAsync($"{path}/Probe/Echo.json?x=a", Cancel));
            using var missing = await host.Client.GetAsync($"{path}/Probe/Nothing", Cancel);
            await missing.ReadProblemAsync(404, WeirCodes.OperationNotFound);
        }
    }

    [Fact]
    public async Task The_applications_own_endpoints_stand_beside()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            After = static (app, _) =>
            {
                app.MapGet("/Probe/Own", () => "own");
                app.MapGet("/Probe/Item/{id}", (int id) => $"item {id}");
                app.MapFallback(() => "fallback");
            },
        });
        Assert.Equal("own", await host.Client.GetStringAsync("/Probe/Own", Cancel));
        Assert.Equal("item 7", await host.Client.GetStringAsync("/Probe/Item/7", Cancel));
        Assert.Equal("fallback", await host.Client.GetStringAsync("/elsewhere", Cancel));
        Assert.Equal("x", await host.Client.GetStringAsync("/Probe/Echo?x=x", Cancel));
    }

    [Fact]
    public async Task Options_that_cannot_hold_stop_the_start()
    {
        var error = await Assert.ThrowsAsync<OptionsValidationException>(() => WeirHost.StartAsync(static options => options.FlushSize = -1, Echo));
        Assert.Contains("WeirServerOptions.FlushSize is -1", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_are_created_once_and_before_a_service_of_the_application_starts()
    {
        var events = new List<string>();
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Options = _ => events.Add("options"),
            Services = builder => builder.Services.Insert(0, ServiceDescriptor.Singleton<IHostedService>(new Starting(() => events.Add("start")))),
        });
        await host.Client.GetStringAsync("/Probe/Echo?x=x", Cancel);
        Assert.Equal(["options", "start"], events);
    }

    [Fact]
    public async Task A_misspelled_option_of_the_server_in_the_configuration_stops_the_start()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder => builder.Configuration.AddInMemoryCollection([new("Weir:Server:FlushSiz", "1")]),
        }));
        Assert.Contains("Weir:Server:FlushSiz is not an option of the server; the nearest one is FlushSize.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Mapping_without_adding_says_what_to_call()
    {
        await using var app = WebApplication.CreateSlimBuilder().Build();
        var error = Assert.Throws<InvalidOperationException>(() => app.MapWeir());
        Assert.Contains("AddWeir()", error.Message, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.ServiceNotRegistered, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Conventions_after_the_start_are_refused()
    {
        IEndpointConventionBuilder? mapped = null;
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup { Catalogs = [new ProbeCatalog(Echo)], After = (_, builder) => mapped = builder });
        await host.Client.GetStringAsync("/Probe/Echo?x=1", Cancel);
        Assert.Throws<InvalidOperationException>(() => mapped!.RequireHost("example.org"));
    }

    [Fact]
    public async Task A_caller_who_leaves_before_the_result_is_one_line_in_the_log()
    {
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var host = await WeirHost.StartAsync(Probe.Result("Wait", ResultKind.Text, (_, context) => WaitAsync(context)));
        using (var leaving = CancellationTokenSource.CreateLinkedTokenSource(Cancel))
        {
            var call = host.Client.GetAsync("/Probe/Wait", leaving.Token);
            await started.Task.WaitAsync(Cancel);
            await leaving.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        }

        var line = await host.Log.NextAsync(Cancel);
        Assert.Equal((LogLevel.Information, 4202, "Probe/Wait: the caller disconnected before the result (499)."), (line.Level, line.Event, line.Text));

        async Task<object?> WaitAsync(OperationContext context)
        {
            started.SetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, context.CancellationToken);
            return "never";
        }
    }

    [Fact]
    public async Task Services_come_from_the_scope_of_the_request()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Probe.Result("Same", ResultKind.Text, static (_, context) =>
                ReferenceEquals(context.Services.GetRequiredService<Scoped>(), ((HttpContext)context.Transport!).RequestServices.GetRequiredService<Scoped>()) ? "same" : "other"))],
            Services = static builder => builder.Services.AddScoped<Scoped>(),
        });
        Assert.Equal("same", await host.Client.GetStringAsync("/Probe/Same", Cancel));
    }

    [Fact]
    public async Task Problems_do_not_cost_the_connection()
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        foreach (var path in (string[])["/Probe/Echo", "/Probe/Nothing", "/Probe/Echo.zzz"])
        {
            await connection.SendAsync($"GET {path} HTTP/1.1\nHost: x");
        }

        await connection.SendAsync("POST /Probe/Echo HTTP/1.1\nHost: x\nContent-Type: text/xml\nContent-Length: 4", "<x/>");
        await connection.SendAsync("GET /Probe/Echo?x=1 HTTP/1.1\nHost: x\nConnection: close");
        var statuses = (await connection.ReadToEndAsync()).Split("HTTP/1.1 ")[1..].Select(static answer => answer[..3]);
        Assert.Equal(["400", "404", "406", "415", "200"], statuses);
    }

    private sealed class Scoped;

    private sealed class Starting(Action start) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            start();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
