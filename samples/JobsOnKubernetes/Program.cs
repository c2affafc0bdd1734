using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Weir;

// One program in two roles. Where Weir:Jobs:Run is false it serves requests and accepts jobs; otherwise it runs jobs, and has no endpoints but those of the probes.
var builder = WebApplication.CreateBuilder(args);
var database = builder.Configuration.GetConnectionString("Jobs")
    ?? throw new InvalidOperationException("Set ConnectionStrings:Jobs to the database of the jobs: ConnectionStrings__Jobs='Host=…;Database=…;Username=…;Password=…'.");
builder.Services.AddWeir();
builder.Services.AddWeirJobs(jobs => jobs.UsePostgreSql(database));
builder.Services.AddHealthChecks().AddWeir().AddWeirJobs();

// Jobs have DrainTimeout to end. What follows needs some seconds: workers are killed after their grace, and outcomes are written. Whatever stops the process waits another 30 s: the grace of the pod, TimeoutStopSec of the unit.
builder.Services.AddOptions<HostOptions>().Configure<WeirJobsOptions>(static (host, jobs) => host.ShutdownTimeout = jobs.DrainTimeout + TimeSpan.FromSeconds(30));
var app = builder.Build();

// Live: the process answers. Ready: the store of jobs commits, and pools can start workers.
app.MapHealthChecks("/health/live", new HealthCheckOptions { Predicate = static _ => false });
app.MapHealthChecks("/health/ready");
if (!app.Services.GetRequiredService<WeirJobsOptions>().Run)
{
    app.MapWeir();
    app.MapWeirJobs();
}

app.Run();
