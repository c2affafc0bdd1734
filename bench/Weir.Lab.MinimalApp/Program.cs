// The application that the framework's own template would give: what start and size are measured against.
var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
var app = builder.Build();
app.MapGet("/Hello/World", () => "Hello, world");
app.MapGet("/Weather/Next", Next);
app.Run();

static async IAsyncEnumerable<int> Next(int days, int delay)
{
    for (var i = 0; i < days; i++)
    {
        await Task.Delay(delay);
        yield return i;
    }
}
