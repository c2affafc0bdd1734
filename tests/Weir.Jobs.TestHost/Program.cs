using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir;
using Weir.Jobs.TestHost;

// --Store FILE | --PostgreSql CONNECTION --Schema NAME --Lease TIME --Mode MODE --Calls Once*20,Pages*3 [--Seed 1] [--Submitters 4] [--After TIME] [--Pause TIME] [--Keys 1] [--ClockOffset TIME] [--Shutdown TIME] [--Weir:Jobs:… …]
var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
builder.Configuration.AddCommandLine(args);
builder.Logging.AddSimpleConsole(static console => console.SingleLine = true).SetMinimumLevel(LogLevel.Information);
builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = builder.Configuration.GetValue("Shutdown", TimeSpan.FromSeconds(10)));
builder.Services.AddSingleton<TimeProvider>(new OffsetTime(builder.Configuration.GetValue("ClockOffset", TimeSpan.Zero)));
builder.Services.AddSingleton<Driver>();
builder.Services.AddWeir(static weir =>
{
    var pool = weir.Pool("work");
    (pool.MinWorkers, pool.MaxWorkers, pool.CancelGrace) = (0, 2, TimeSpan.FromSeconds(1));
    pool.EnvironmentVariables[Oracle.Variable] = Environment.GetEnvironmentVariable(Oracle.Variable)!;
});
builder.Services.AddWeirJobs(jobs =>
{
    if (builder.Configuration["PostgreSql"] is { } connection)
    {
        jobs.UsePostgreSql(connection, options => (options.Schema, options.Lease) = (builder.Configuration["Schema"]!, builder.Configuration.GetValue("Lease", options.Lease)));
    }
    else
    {
        jobs.UseSqlite(builder.Configuration["Store"]!);
    }
});

using var host = builder.Build();
await host.StartAsync();
Console.WriteLine("started");
var driver = host.Services.GetRequiredService<Driver>().RunAsync();
await host.WaitForShutdownAsync();

// Every submission has been answered.
await driver.WaitAsync(TimeSpan.FromSeconds(2));
Console.WriteLine("stopped");
