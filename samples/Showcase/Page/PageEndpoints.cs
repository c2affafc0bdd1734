namespace Showcase;

/// <summary>The page at <c>/</c> and the two files it needs, out of the assembly.</summary>
internal static class PageEndpoints
{
    /// <summary>Maps them.</summary>
    /// <param name="app">The application.</param>
    /// <param name="hasDashboard">Whether the page has links to the dashboard.</param>
    internal static void MapPage(this WebApplication app, bool hasDashboard)
    {
        Map("/", hasDashboard ? Read("index.html").Replace("<body>", """<body class="has-dashboard">""", StringComparison.Ordinal) : Read("index.html"), "text/html; charset=utf-8");
        Map("/app.js", Read("app.js"), "text/javascript; charset=utf-8");
        Map("/app.css", Read("app.css"), "text/css; charset=utf-8");

        void Map(string path, string content, string mediaType) => app.MapGet(path, (HttpContext context) =>
        {
            context.Response.ContentType = mediaType;
            context.Response.Headers.CacheControl = "no-cache";

            // Nothing from elsewhere; "data:" is the empty icon.
            context.Response.Headers.ContentSecurityPolicy = "default-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
            context.Response.Headers.XContentTypeOptions = "nosniff";
            return context.Response.WriteAsync(content, context.RequestAborted);
        });
    }

    private static string Read(string file)
    {
        using var content = new StreamReader(typeof(PageEndpoints).Assembly.GetManifestResourceStream(file)!);
        return content.ReadToEnd();
    }
}
