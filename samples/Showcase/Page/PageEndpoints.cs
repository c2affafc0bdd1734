namespace Showcase;

/// <summary>The page at <c>/</c> and the two files it needs, out of the assembly.</summary>
internal static class PageEndpoints
{
    internal static void MapPage(this WebApplication app)
    {
        Map("/", "index.html", "text/html; charset=utf-8");
        Map("/app.js", "app.js", "text/javascript; charset=utf-8");
        Map("/app.css", "app.css", "text/css; charset=utf-8");

        void Map(string path, string file, string mediaType) => app.MapGet(path, async (HttpContext context) =>
        {
            context.Response.ContentType = mediaType;
            context.Response.Headers.CacheControl = "no-cache";

            // Nothing from elsewhere; "data:" is the empty icon.
            context.Response.Headers.ContentSecurityPolicy = "default-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
            context.Response.Headers.XContentTypeOptions = "nosniff";
            await using var content = typeof(PageEndpoints).Assembly.GetManifestResourceStream(file)!;
            await content.CopyToAsync(context.Response.Body, context.RequestAborted);
        });
    }
}
