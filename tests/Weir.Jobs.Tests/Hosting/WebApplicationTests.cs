using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Hosting;

/// <summary>Jobs beside a server.</summary>
public sealed class WebApplicationTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_submits_and_a_stopped_application_lets_job_and_request_end(bool isJobsFirst)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddSingleton<Board>();
        if (isJobsFirst)
        {
            builder.Services.AddWeirJobs(static jobs => jobs.UseMemory());
        }

        builder.Services.AddWeir();
        if (!isJobsFirst)
        {
            builder.Services.AddWeirJobs(static jobs => jobs.UseMemory());
        }

        await using var app = builder.Build();
        app.MapWeirService<Reports>();
        app.MapPost("/wait", async (IJobs<IReportsClient> reports, HttpContext http) => await (await reports.EnqueueAsync(one => one.Wait("gate"))).ResultAsync(http.RequestAborted));
        await app.StartAsync(Ct);
        var address = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        using var client = new HttpClient { BaseAddress = new Uri(address) };
        var request = client.PostAsync(new Uri("/wait", UriKind.Relative), null, Ct);
        var jobs = app.Services.GetRequiredService<IJobs>();
        while ((await jobs.ListAsync(new JobQuery { State = JobState.Running }, Ct)).Count == 0)
        {
            await Task.Delay(5, Ct);
        }

        var board = app.Services.GetRequiredService<Board>();
        var stopping = app.StopAsync(Ct);
        Assert.False(stopping.IsCompleted);
        board.Open("gate");
        Assert.Equal("gate", await (await request).Content.ReadAsStringAsync(Ct));
        await stopping;
    }
}
