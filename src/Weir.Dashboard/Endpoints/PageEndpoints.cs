using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Weir.Dashboard.Page;

namespace Weir.Dashboard.Endpoints;

/// <summary>The page and its assets. All addresses are relative, that of the redirect too: a path base, a group and a proxy that strips a prefix change nothing.</summary>
internal static class PageEndpoints
{
    /// <summary>Answers with the document; without a slash at the end of the path, by which its relative addresses are found, with a redirect to it.</summary>
    public static Task DocumentAsync(HttpContext http)
    {
        var path = (http.Request.PathBase + http.Request.Path).Value ?? "";
        if (path.EndsWith('/'))
        {
            return SendAsync(http, PageFiles.Current.Document);
        }

        // Of the path as the application has it the last segment is also the caller's: a proxy strips from the front.
        var segment = Uri.EscapeDataString(path[(path.LastIndexOf('/') + 1)..]);
        http.Response.StatusCode = StatusCodes.Status307TemporaryRedirect;
        http.Response.Headers.Location = $"./{segment}/{http.Request.QueryString.ToUriComponent()}";
        return Task.CompletedTask;
    }

    /// <summary>Answers with an asset. One of another version does not exist: its page is loaded again.</summary>
    public static Task AssetAsync(HttpContext http)
    {
        var (hash, name) = (http.GetRouteValue("hash") as string, http.GetRouteValue("name") as string ?? "");
        if (hash != PageFiles.Current.Hash || !PageFiles.Current.Assets.TryGetValue(name, out var asset))
        {
            return DashboardEndpoints.SayAsync(http, StatusCodes.Status404NotFound, "There is no such file. If the page is of another version of the application, load it again.");
        }

        // A browser that passed the policy may keep it; a cache between may not.
        http.Response.Headers.CacheControl = "private, max-age=31536000, immutable";
        return SendAsync(http, asset);
    }

    private static Task SendAsync(HttpContext http, PageFile file) => DashboardEndpoints.WriteAsync(http, file.MediaType, file.Bytes);
}
