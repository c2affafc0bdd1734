using Showcase;
using Weir;

if (WeirWorker.TryRun(args))
{
    return;
}

using var producers = ProducerCounts.Create();
var builder = WebApplication.CreateBuilder(args);
var urls = builder.Configuration["urls"] ?? "http://127.0.0.1:5080";
var store = JobStore.PathFor(builder.Configuration, urls);
builder.WebHost.UseUrls(urls);

builder.Logging.AddFilter("Microsoft", LogLevel.Warning);
builder.Services.AddSingleton<IForecastSource, Almanac>();
builder.Services.AddSingleton(producers);
builder.Services.AddSingleton<OpenConnections>();
builder.Services.AddOpenApi();
builder.Services.AddWeirOpenApi();
builder.Services.AddWeir(weir => Pools.Configure(weir, producers));
builder.Services.AddWeirJobs(jobs => JobStore.Configure(jobs, store));
var isDevelopment = builder.Environment.IsDevelopment();
if (isDevelopment)
{
    LocalUsers.Add(builder.Services);
}

await using var app = builder.Build();
app.UseWhen(static context => context.Request.Path.StartsWithSegments("/Ticks") && HttpMethods.IsGet(context.Request.Method), branch =>
    branch.Use(app.Services.GetRequiredService<OpenConnections>().RunAsync));
app.MapWeir();
app.MapWeirJobs();
app.MapPage(hasDashboard: isDevelopment);
app.MapOpenApi();
if (isDevelopment)
{
    app.MapWeirDashboard(configure: static options => options.ActionPolicy = LocalUsers.Policy);
    app.MapWeirJobsAdmin().RequireAuthorization(LocalUsers.Policy);
}

// Only below its path: no other request waits for its assemblies.
app.UseWhen(static context => context.Request.Path.StartsWithSegments("/swagger"), static branch =>
    branch.UseSwaggerUI(static page => page.SwaggerEndpoint("/openapi/v1.json", "Weir showcase")));
await app.StartAsync();
await StartText.WriteAsync(app, store, Console.Out);
await app.WaitForShutdownAsync();
