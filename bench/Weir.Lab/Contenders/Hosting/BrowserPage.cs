using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Hosting;

/// <summary>A page that fetches a path, measures it as the browser's own tools do, and posts what it saw.</summary>
internal static class BrowserPage
{
    private const string Html = """
        <!doctype html><meta charset="utf-8"><title>lab</title><script>
        (async () => {
          const path = decodeURIComponent(location.hash.slice(1));
          performance.setResourceTimingBufferSize(1000);
          for (let i = 0; i < 2; i++) await (await fetch(path, { cache: 'no-store' })).text();
          const seen = performance.getEntriesByType('resource').filter(e => e.name.endsWith(path)).at(-1);
          await fetch('/lab/timing?ttfb=' + (seen.responseStart - seen.requestStart) + '&total=' + (seen.responseEnd - seen.requestStart), { method: 'POST' });
        })();
        </script>
        """;

    // Replaced by every report, so that the next page has its own.
    private static TaskCompletionSource<(double Ttfb, double Total)> _seen = New();

    /// <summary>Waits for what the next page posts.</summary>
    public static async Task<ControlLine> ReportAsync()
    {
        var (ttfb, total) = await _seen.Task;
        _seen = New();
        return new ControlLine("ok").With("ttfb", ttfb).With("total", total);
    }

    public static void MapBrowserPage(this WebApplication application)
    {
        application.MapGet("/lab/page", () => TypedResults.Text(Html, "text/html"));
        application.MapPost("/lab/timing", (double ttfb, double total) =>
        {
            _seen.TrySetResult((ttfb, total));
            return TypedResults.NoContent();
        });
    }

    private static TaskCompletionSource<(double Ttfb, double Total)> New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
