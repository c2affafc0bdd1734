using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Weir.LightNode.Tests.Hosting;

/// <summary>The same services between middleware and endpoints of the application.</summary>
public sealed class SurroundedApplication : LightNodeApplication
{
    public SurroundedApplication()
        : base(null, null, Surround)
    {
    }

    private static void Surround(WebApplication app)
    {
        app.Use(static (http, next) =>
        {
            http.Response.OnStarting(() =>
            {
                http.Response.Headers["X-Seen"] = http.Response.StatusCode.ToString(CultureInfo.InvariantCulture);
                return Task.CompletedTask;
            });
            return http.Request.Headers.ContainsKey("X-Closed") ? http.Response.WriteAsync("closed") : next(http);
        });
        app.UseStatusCodePages("text/plain", "page of {0}");
        app.UseRouting();
        app.MapWeir();
        app.MapGet("/about", static () => "about");
        app.MapFallback(static () => "fallback");
    }
}
