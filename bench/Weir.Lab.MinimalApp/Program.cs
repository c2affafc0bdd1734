// The application that the framework's own template for native compilation would give: what start and size are measured against.
using System.Text.Json.Serialization;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.ConfigureHttpJsonOptions(static options => options.SerializerOptions.TypeInfoResolverChain.Insert(0, MinimalJson.Default));
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

[JsonSerializable(typeof(IAsyncEnumerable<int>))]
internal sealed partial class MinimalJson : JsonSerializerContext;
