using System.Security.Claims;
using Jobs;
using Weir;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddWeir();
builder.Services.AddWeirJobs(jobs => jobs.UseSqlite(builder.Configuration["Store"] ?? "jobs.db"));
var app = builder.Build();
app.MapWeir();
app.MapWeirJobs();

// Code submits a job, too: the invoice's number is the key, so a browser that sends the form twice pays once. The owner is the user, who then sees the job below /$jobs.
app.MapPost("/payments", async (string customer, string invoice, decimal amount, HttpContext http, IJobs<IPaymentsClient> payments, CancellationToken ct) =>
{
    var options = new JobOptions { IdempotencyKey = invoice, Owner = http.User.JobOwner() };
    var job = await payments.EnqueueAsync(p => p.Pay(customer, invoice, amount), options, ct);
    return Results.Accepted($"/payments/{job.Id}", new { job.Id, job.IsExisting });
});

// The receipt, or what a caller of Pay would catch. Callers of this sample have no names, so its jobs of code are not below /$jobs.
app.MapGet("/payments/{id:guid}", async (Guid id, IJobs jobs, CancellationToken ct) => await jobs.Get<Receipt>(id).ResultAsync(ct));

// The schedules with their next occurrences, and one of them now: the nightly reports, for which no test waits until three.
app.MapGet("/schedules", async (IJobs jobs, CancellationToken ct) => (await jobs.Schedules.ListAsync(ct)).Select(static one => new { one.Name, one.Cron, one.TimeZone, one.Next, one.LastDue }));
app.MapPost("/nightly", async (IJobs jobs, CancellationToken ct) =>
{
    var job = await jobs.Schedules.RunAsync("Nightly/Submit", ct);
    return Results.Accepted($"/nightly/{job.Id}", new { job.Id });
});
app.MapGet("/nightly/{id:guid}", async (Guid id, IJobs jobs, CancellationToken ct) => await jobs.Get<Guid[]>(id).ResultAsync(ct));
app.Run();
