using Showcase;

var builder = WebApplication.CreateBuilder(args);
if (builder.Configuration["urls"] is null)
{
    builder.WebHost.UseUrls("http://127.0.0.1:5080");
}

builder.Logging.AddFilter("Microsoft", LogLevel.Warning);
builder.Services.AddSingleton<IForecastSource, Almanac>();
builder.Services.AddSingleton(ProducerCounts.Create());
builder.Services.AddWeir(static weir => weir.RunInline = true);

var app = builder.Build();
app.MapWeir();
app.MapPage();
app.Lifetime.ApplicationStarted.Register(() => StartText.Write(app, Console.Out));
app.Run();
