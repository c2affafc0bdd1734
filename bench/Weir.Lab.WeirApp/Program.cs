// The same application on Weir.
var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.AddWeir();
var app = builder.Build();
app.MapWeir();
app.Run();
