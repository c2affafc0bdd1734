using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Hosting;

/// <summary>What is wrong with an application's jobs is said when it starts.</summary>
public sealed class JobsStartTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Without_a_store_the_start_fails_and_names_the_stores() =>
        Assert.Contains("UseSqlite", await FailureAsync(static _ => { }), StringComparison.Ordinal);

    [Fact]
    public async Task Options_of_a_kind_that_no_operation_has_fail_the_start() =>
        Assert.Contains("'Reports/Bild'", await FailureAsync(static jobs => jobs.UseMemory().Kind("Reports/Bild").Attempts = 2), StringComparison.Ordinal);

    [Fact]
    public async Task An_option_out_of_its_range_fails_the_start() =>
        Assert.Contains("Attempts of the jobs of Reports/Build is 0", await FailureAsync(static jobs => jobs.UseMemory().Kind("Reports/Build").Attempts = 0), StringComparison.Ordinal);

    [Fact]
    public async Task A_host_that_stops_faster_than_its_jobs_may_drain_does_not_start() =>
        Assert.Contains("ShutdownTimeout", await FailureAsync(static jobs => jobs.UseMemory().DrainTimeout = TimeSpan.FromMinutes(1)), StringComparison.Ordinal);

    [Theory]
    [InlineData("Weir:Jobs:MaxRuning", "3", "MaxRunning")]
    [InlineData("Weir:Jobs:Kinds:Reports/Build:Attempt", "3", "Attempts")]
    [InlineData("Weir:Jobs:DrainTimeout", "soon", "DrainTimeout")]
    public async Task A_key_or_value_of_the_configuration_that_is_not_known_fails_the_start(string key, string value, string named) =>
        Assert.Contains(named, await FailureAsync(static jobs => jobs.UseMemory(), new() { [key] = value }), StringComparison.Ordinal);

    [Fact]
    public async Task The_configuration_goes_before_the_attribute_and_code_before_the_configuration()
    {
        using var host = Create(static jobs => jobs.UseMemory().Kind("Reports/Flaky").Backoff = TimeSpan.Zero, new() { ["Weir:Jobs:Kinds:Reports/Flaky:Attempts"] = "1", ["Weir:Jobs:Kinds:Reports/Flaky:Backoff"] = "01:00:00", ["Weir:Jobs:Kinds:Reports/Flaky:MaxBackoff"] = "02:00:00" });
        await host.StartAsync(Ct);
        var job = await host.Services.GetRequiredService<IJobs<IReportsClient>>().EnqueueAsync(reports => reports.Flaky("a", 1), cancellationToken: Ct);
        Assert.Equal((JobState.Failed, 1), ((await job.WaitAsync(Ct)).State, (await job.GetAsync(Ct))!.Attempts));
        await host.StopAsync(Ct);
    }

    [Fact]
    public async Task A_process_that_runs_no_jobs_accepts_them()
    {
        using var host = Create(static jobs => jobs.UseMemory().Run = false);
        await host.StartAsync(Ct);
        var job = await host.Services.GetRequiredService<IJobs<IReportsClient>>().EnqueueAsync(reports => reports.Charge("a", 1), cancellationToken: Ct);
        Assert.Equal(JobState.Ready, (await job.GetAsync(Ct))!.State);
        await host.StopAsync(Ct);
    }

    [Fact]
    public async Task What_is_submitted_before_the_start_waits_for_it_and_what_is_submitted_after_the_end_is_refused()
    {
        using var host = Create(static jobs => jobs.UseMemory());
        var jobs = host.Services.GetRequiredService<IJobs<IReportsClient>>();
        var early = jobs.EnqueueAsync(reports => reports.Charge("a", 1), cancellationToken: Ct);
        Assert.False(early.IsCompleted);
        await host.StartAsync(Ct);
        await (await early).ResultAsync(Ct);
        await host.StopAsync(Ct);
        await Assert.ThrowsAnyAsync<Exception>(async () => await jobs.EnqueueAsync(reports => reports.Charge("b", 1), cancellationToken: Ct));
    }

    [Fact]
    public async Task Another_service_submits_while_the_application_starts()
    {
        using var host = Create(static jobs => jobs.UseMemory(), services: static services => services.AddHostedService<Starter>());
        await host.StartAsync(Ct);
        var job = Assert.Single(await host.Services.GetRequiredService<IJobs>().ListAsync(cancellationToken: Ct));
        await host.Services.GetRequiredService<IJobs>().Get(job.Id).ResultAsync(Ct);
        await host.StopAsync(Ct);
    }

    private static async Task<string> FailureAsync(Action<WeirJobsOptions> configure, Dictionary<string, string?>? configuration = null)
    {
        using var host = Create(configure, configuration);
        return (await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(Ct))).Message;
    }

    private static IHost Create(Action<WeirJobsOptions> configure, Dictionary<string, string?>? configuration = null, Action<IServiceCollection>? services = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(configuration ?? []);
        builder.Services.AddSingleton<Board>();
        builder.Services.AddWeirJobs(configure);
        builder.Services.AddWeir();
        services?.Invoke(builder.Services);
        return builder.Build();
    }

    private sealed class Starter(IJobs<IReportsClient> reports) : IHostedService
    {
        public async Task StartAsync(CancellationToken cancellationToken) => await reports.EnqueueAsync(static one => one.Charge("early", 1), cancellationToken: cancellationToken);

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
