using Showcase;
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<IForecastSource, Almanac>();
var app = builder.Build();
app.Run();
