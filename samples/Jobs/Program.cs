using Jobs;
using Weir;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddWeir();
builder.Services.AddWeirJobs(jobs => jobs.UseSqlite(builder.Configuration["Store"] ?? "jobs.db"));
var app = builder.Build();

// The job is stored when the response leaves. The tenants take turns: a thousand reports of one delay those of another by one place.
app.MapPost("/reports", async (string tenant, int pages, IJobs<IReportsClient> reports, CancellationToken ct) =>
{
    var job = await reports.EnqueueAsync(r => r.Build(tenant, pages), new JobOptions { Key = tenant }, ct);
    return Results.Accepted($"/jobs/{job.Id}", new { job.Id });
});

// Its pages as they are stored, from any index: a reader that was cut continues, in this process or in the next one.
app.MapGet("/reports/{id:guid}/pages", (Guid id, long? from, IJobs jobs, CancellationToken ct) => jobs.GetStream<string>(id).ItemsAsync(from ?? 0, ct));

// The invoice's number is the key: a browser that sends the form twice pays once.
app.MapPost("/payments", async (string customer, string invoice, decimal amount, IJobs<IPaymentsClient> payments, CancellationToken ct) =>
{
    var job = await payments.EnqueueAsync(p => p.Pay(customer, invoice, amount), new JobOptions { IdempotencyKey = invoice }, ct);
    return Results.Accepted($"/jobs/{job.Id}", new { job.Id, job.IsExisting });
});

// The receipt, or what a caller of Pay would catch.
app.MapGet("/payments/{id:guid}", async (Guid id, IJobs jobs, CancellationToken ct) => await jobs.Get<Receipt>(id).ResultAsync(ct));

// The schedules with their next occurrences, and one of them now: the nightly reports, for which no test waits until three.
app.MapGet("/schedules", async (IJobs jobs, CancellationToken ct) => (await jobs.Schedules.ListAsync(ct)).Select(static one => new { one.Name, one.Cron, one.TimeZone, one.Next, one.LastDue }));
app.MapPost("/nightly", async (IJobs jobs, CancellationToken ct) =>
{
    var job = await jobs.Schedules.RunAsync("Nightly/Submit", ct);
    return Results.Accepted($"/jobs/{job.Id}", new { job.Id });
});
app.MapGet("/nightly/{id:guid}", async (Guid id, IJobs jobs, CancellationToken ct) => await jobs.Get<Guid[]>(id).ResultAsync(ct));

// Any job: where it is, and to stop it.
app.MapGet("/jobs/{id:guid}", async (Guid id, IJobs jobs, CancellationToken ct) => Shown(await jobs.Get(id).GetAsync(ct)));
app.MapDelete("/jobs/{id:guid}", async (Guid id, IJobs jobs, CancellationToken ct) => Shown(await jobs.CancelAsync(id, ct)));
app.Run();

static IResult Shown(JobInfo? job) => job is null
    ? Results.NotFound()
    : Results.Ok(new { job.Id, job.Kind, State = $"{job.State}", Reason = $"{job.Reason}", job.Attempt, job.Attempts, job.Items, job.Error });
