using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Testing;

/// <summary>Where the jobs of an application can be tested: in containers, hosts and servers, whatever the application registered.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "What a recorded call returns never completes.")]
public sealed class TestedApplicationTests
{
    private const int Opened = 4503;
    private const int OnlyInMemory = 4504;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_store_of_the_application_is_not_opened_whichever_registration_comes_first(bool isTestingFirst)
    {
        var events = new Events();
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddProvider(events);
        builder.Services.AddSingleton<Board>();
        builder.Services.AddWeir();
        if (isTestingFirst)
        {
            builder.Services.AddWeirJobsTesting();
        }

        builder.Services.AddWeirJobs(static jobs =>
        {
            jobs.UseSqlite("/no/such/directory/jobs.db");
            jobs.Run = true;
        });
        if (!isTestingFirst)
        {
            builder.Services.AddWeirJobsTesting();
        }

        using var host = builder.Build();
        await host.StartAsync(Ct);
        var job = await host.Services.GetRequiredService<IJobs<IErrandsClient>>().EnqueueAsync(errands => errands.Run("a"), cancellationToken: Ct);
        Assert.Equal(JobState.Ready, (await job.GetAsync(Ct))!.State);
        Assert.Equal(1, (await host.Services.GetRequiredService<JobsTesting>().DrainAsync(cancellationToken: Ct)).Succeeded);
        await host.StopAsync(Ct);

        Assert.Equal(1, events.Ids.Count(static id => id == Opened));
        Assert.DoesNotContain(OnlyInMemory, events.Ids);
    }

    [Fact]
    public async Task A_drain_of_the_host_ends_jobs_that_a_test_runs()
    {
        await using var host = await JobsHost.StartAsync(static _ => { }, services: static services => services.AddWeirJobsTesting());
        var job = await host.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct);
        var draining = host.Get<JobsTesting>().DrainAsync(cancellationToken: Ct);
        while ((await job.GetAsync(Ct))!.Progress is null)
        {
            await Task.Delay(5, Ct);
        }

        var stopping = host.StopAsync();
        host.Board.Open("gate");
        Assert.Equal(1, (await draining).Succeeded);
        await stopping;
    }

    [Fact]
    public async Task A_request_submits_and_the_test_runs_the_job()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddSingleton<Board>();
        builder.Services.AddWeir();
        builder.Services.AddWeirJobs(static jobs => jobs.UseSqlite("/no/such/directory/jobs.db"));
        builder.Services.AddWeirJobsTesting();
        await using var app = builder.Build();
        app.MapWeirService<Errands>();
        app.MapPost("/run", static async (IJobs<IErrandsClient> errands) => (await errands.EnqueueAsync(static one => one.Run("request"))).Id);
        await app.StartAsync(Ct);
        using var client = new HttpClient { BaseAddress = new Uri(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()) };
        (await client.PostAsync(new Uri("/run", UriKind.Relative), null, Ct)).EnsureSuccessStatusCode();
        var testing = app.Services.GetRequiredService<JobsTesting>();
        Assert.Single(testing.Enqueued<IErrandsClient>(errands => errands.Run("request")));
        Assert.Empty((await testing.DrainAsync(cancellationToken: Ct)).Failures);
        Assert.Equal(["request"], app.Services.GetRequiredService<Board>().Lines);
        await app.StopAsync(Ct);
    }

    [Fact]
    public async Task A_container_without_a_host_runs_jobs_on_the_lane_too()
    {
        await using var tested = new TestedJobs();
        var job = await tested.Reports.EnqueueAsync(reports => reports.OnLane("lane"), cancellationToken: Ct);
        Assert.Empty((await tested.Testing.DrainAsync(cancellationToken: Ct)).Failures);
        Assert.StartsWith("Weir lane", await job.ResultAsync(Ct), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_AddWeirJobs_the_jobs_of_the_catalog_can_be_tested()
    {
        var services = new ServiceCollection();
        services.AddSingleton<Board>();
        services.AddWeir();
        services.AddWeirJobsTesting(static testing => testing.Mode = JobsTestingMode.Manual);
        services.AddWeirJobsTesting(static testing => testing.Mode = JobsTestingMode.Inline);
        await using var provider = services.BuildServiceProvider();
        await provider.GetRequiredService<IJobs<IErrandsClient>>().EnqueueAsync(errands => errands.Run("a"), cancellationToken: Ct);
        Assert.Equal(["a"], provider.GetRequiredService<Board>().Lines);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_isolated_operation_runs_in_a_worker_or_in_the_test_as_it_does_without_jobs(bool runsInline)
    {
        await using var tested = new TestedJobs(weir: weir =>
        {
            weir.RunInline = runsInline;
            weir.Pool("labels").MinWorkers = 0;
        });
        var labels = tested.Get<IJobs<ILabelsClient>>();
        var first = await labels.EnqueueAsync(one => one.Print("a"), cancellationToken: Ct);
        var second = await labels.EnqueueAsync(one => one.Print("b"), cancellationToken: Ct);
        var drained = await tested.Testing.DrainAsync(cancellationToken: Ct);
        Assert.Empty(drained.Failures);
        Assert.Equal(2, drained.Succeeded);
        Assert.Equal($"a {first.Id} 1 ", await first.ResultAsync(Ct));
        Assert.Equal($"b {second.Id} 1 ", await second.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_mode_that_does_not_exist_is_refused()
    {
        await using var tested = new TestedJobs((JobsTestingMode)7);
        Assert.Contains("JobsTestingOptions.Mode is 7", Assert.Throws<InvalidOperationException>(() => tested.Testing).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Options_that_would_let_jobs_run_in_the_background_are_refused(bool runs)
    {
        var options = new WeirJobsOptions { Run = runs };
        var services = new ServiceCollection();
        services.AddSingleton(runs ? options.UseMemory() : options.UseSqlite("/no/such/directory/jobs.db"));
        services.AddWeir();
        services.AddWeirJobsTesting();
        await using var provider = services.BuildServiceProvider();
        Assert.Contains("WeirJobsOptions was registered by other code", Assert.Throws<InvalidOperationException>(provider.GetRequiredService<JobsTesting>).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_it_jobs_run_by_themselves_and_there_is_nothing_to_inject()
    {
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory());
        Assert.Throws<InvalidOperationException>(host.Get<JobsTesting>);
        await (await host.Get<IJobs<IErrandsClient>>().EnqueueAsync(errands => errands.Run("a"), cancellationToken: Ct)).ResultAsync(Ct);
    }

    private sealed class Events : ILoggerProvider, ILogger
    {
        private readonly ConcurrentQueue<int> _ids = [];

        public IReadOnlyCollection<int> Ids => _ids;

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => _ids.Enqueue(eventId.Id);

        public void Dispose()
        {
        }
    }
}
