using JobsWorker;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir;

var builder = Host.CreateApplicationBuilder(args);
builder.Services.AddWeir();
builder.Services.AddWeirJobs(jobs => jobs.UseSqlite("jobs.db"));
using var host = builder.Build();
await host.StartAsync();

// The key makes the submission repeatable: the first start stores the job, each later one finds it.
var reports = host.Services.GetRequiredService<IJobs<IReportsClient>>();
var job = await reports.EnqueueAsync(r => r.Build("acme", 40), new JobOptions { IdempotencyKey = "acme-2026" });
await foreach (var page in job.ItemsAsync())
{
    Console.WriteLine(page);
}

await host.StopAsync();
