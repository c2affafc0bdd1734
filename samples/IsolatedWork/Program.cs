using IsolatedWork;
using Weir;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddWeir();
var app = builder.Build();
app.MapWeir();

// Many documents at once from code: the pool grows to MaxWorkers, and one document that fails does not fail the others.
app.MapGet("/batch", async (IRendererClient renderer, int documents, CancellationToken ct) =>
{
    var (rendered, failed) = (0, 0);
    await foreach (var one in Batch.Of(renderer, Enumerable.Range(1, documents).ToArray(), static (renderer, pages) => renderer.Render(pages), ct))
    {
        _ = one.Failure is null ? rendered++ : failed++;
    }

    return new { rendered, failed };
});

// What the pool is doing: for a dashboard, or to look at while it grows and shrinks.
app.MapGet("/pools", (WeirRuntime weir) => weir.Pools.Select(static pool => new { pool.Name, Workers = pool.Workers.Count, pool.MaxWorkers }));
app.Run();
