using System.IO.Compression;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Weir.Dashboard.Page;
using Weir.IntegrationTests.Packaging;

namespace Weir.Dashboard.Tests;

/// <summary>The page as it is served: small, kept by browsers, and found below every path.</summary>
public sealed partial class PageTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public void The_page_is_at_most_12_files_of_150_KB_and_45_KB_when_compressed()
    {
        var files = PageFiles.Current.Assets.Values.Append(PageFiles.Current.Document).ToList();
        Assert.InRange(files.Count, 3, 12);
        Assert.InRange(files.Sum(static file => file.Bytes.Length), 1, 150 * 1024);
        Assert.InRange(files.Sum(static file => Compressed(file.Bytes.Span)), 1, 45 * 1024);
    }

    [Fact]
    public void The_charts_are_at_most_400_lines() => Assert.InRange(Encoding.UTF8.GetString(PageFiles.Current.Assets["charts.js"].Bytes.Span).Count(static one => one == '\n'), 1, 400);

    [Fact]
    public void The_page_makes_no_markup_of_text_and_names_nothing_of_another_origin()
    {
        foreach (var (name, file) in PageFiles.Current.Assets)
        {
            var text = Encoding.UTF8.GetString(file.Bytes.Span);
            Assert.DoesNotMatch("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|eval\\(|new Function", text);
            Assert.DoesNotMatch("https?://(?!www\\.w3\\.org/2000/svg)", text);
            Assert.True(text.All(static one => one is not '\r' and not '\t'), $"{name} has a tab or a carriage return.");
        }
    }

    [Theory]
    [InlineData("a();\n/** @type {X} */\nb();\n", "a();\n\nb();\n")]
    [InlineData("/**\n * One.\n * @param {X} a\n */\nb();", "\n\n\n\nb();")]
    [InlineData("/** @type {X} */ (a).b();\n", "/** @type {X} */ (a).b();\n")]
    [InlineData("  // Why.\n  a(); // and what\n", "\n  a(); // and what\n")]
    [InlineData("a = 'b'; /* c\n */\n", "a = 'b'; /* c\n */\n")]
    public void A_module_is_served_without_the_comments_that_have_lines_of_their_own(string source, string served) => Assert.Equal(served, ModuleText.WithoutComments(source));

    [Fact]
    public void Modules_have_as_many_lines_as_their_sources()
    {
        foreach (var (name, file) in PageFiles.Current.Assets.Where(static asset => asset.Key.EndsWith(".js", StringComparison.Ordinal)))
        {
            var (source, served) = (File.ReadAllText(Path.Combine(RepositoryRoot.Path, "src/Weir.Dashboard/Page", name)), Encoding.UTF8.GetString(file.Bytes.Span));
            Assert.Equal(source.Split('\n').Length, served.Split('\n').Length);
            Assert.DoesNotContain(served.Split('\n'), static line => line.TrimStart().StartsWith("//", StringComparison.Ordinal));
        }
    }

    [Theory]
    [InlineData("", "/weir")]
    [InlineData("/shop", "/weir")]
    [InlineData("", "/internal/weir")]
    [InlineData("", "/weir", true)]
    public async Task Every_file_and_all_data_are_found_below_a_path_base_a_group_and_a_proxy_that_strips_a_prefix(string pathBase, string path, bool isBehindProxy = false)
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Development, app =>
        {
            if (pathBase.Length > 0)
            {
                app.UsePathBase(pathBase);
                app.UseRouting();
            }

            var group = app.MapGroup(path[..path.LastIndexOf('/')]);
            group.MapWeirDashboard();
        });
        await using var proxy = await PrefixProxy.StartAsync(application.Address);
        var start = isBehindProxy ? new Uri(proxy.Address, $"/ops{path}") : new Uri(application.Address, pathBase + path);
        using var redirect = await application.Client.GetAsync(start, Ct);
        Assert.Equal(HttpStatusCode.TemporaryRedirect, redirect.StatusCode);
        Assert.False(redirect.Headers.Location!.IsAbsoluteUri);
        var page = new Uri(start, redirect.Headers.Location);
        Assert.Equal($"{start}/", page.ToString());

        var found = new HashSet<string>();
        await ReadAsync(page);
        Assert.Equal(PageFiles.Current.Assets.Count + 1, found.Count);
        foreach (var data in new[] { "snapshot", "ps", "reports" })
        {
            using var answer = await application.Client.GetAsync(new Uri(page, data), Ct);
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        }

        async Task ReadAsync(Uri address)
        {
            if (!found.Add(address.AbsolutePath))
            {
                return;
            }

            using var answer = await application.Client.GetAsync(address, Ct);
            Assert.True(answer.StatusCode == HttpStatusCode.OK, $"{address}: {answer.StatusCode}");
            foreach (Match named in Named().Matches(await answer.Content.ReadAsStringAsync(Ct)))
            {
                await ReadAsync(new Uri(address, named.Groups[1].Value));
            }
        }
    }

    [Fact]
    public async Task The_query_is_kept_by_the_redirect()
    {
        await using var application = await DashboardApplication.StartAsync();
        using var answer = await application.SendAsync(HttpMethod.Get, "/weir?a=b%20c");
        Assert.Equal("./weir/?a=b%20c", answer.Headers.Location!.OriginalString);
    }

    [Fact]
    public async Task Assets_are_kept_by_browsers_and_the_page_is_not()
    {
        await using var application = await DashboardApplication.StartAsync();
        using var page = await application.SendAsync(HttpMethod.Get, "/weir/");
        Assert.True(page.Headers.CacheControl!.NoStore);
        Assert.Equal("text/html", page.Content.Headers.ContentType!.MediaType);
        foreach (var (name, type) in new[] { ("app.js", "text/javascript"), ("page.css", "text/css") })
        {
            using var asset = await application.SendAsync(HttpMethod.Get, $"/weir/assets/{PageFiles.Current.Hash}/{name}");
            Assert.Equal("max-age=31536000, private, immutable", asset.Headers.CacheControl!.ToString());
            Assert.Equal(type, asset.Content.Headers.ContentType!.MediaType);
            Assert.Equal("nosniff", Assert.Single(asset.Headers.GetValues("X-Content-Type-Options")));
            using var other = await application.SendAsync(HttpMethod.Get, $"/weir/assets/0123456789abcdef/{name}");
            Assert.Equal(HttpStatusCode.NotFound, other.StatusCode);
            Assert.True(other.Headers.CacheControl!.NoStore);
        }
    }

    [Fact]
    public async Task Without_the_page_only_data_is_served()
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Development, static app => app.MapWeirDashboard(page: false));
        Assert.DoesNotContain(application.Routes(), static path => path.EndsWith('/') || path.Contains("/assets/", StringComparison.Ordinal));
        foreach (var (path, status) in new[] { ("/weir/", HttpStatusCode.NotFound), ($"/weir/assets/{PageFiles.Current.Hash}/app.js", HttpStatusCode.NotFound), ("/weir/snapshot", HttpStatusCode.OK) })
        {
            using var answer = await application.SendAsync(HttpMethod.Get, path);
            Assert.Equal(status, answer.StatusCode);
        }
    }

    [Fact]
    public void Each_file_of_the_source_is_in_the_assembly() => Assert.Equal(
        Directory.EnumerateFiles(Path.Combine(RepositoryRoot.Path, "src/Weir.Dashboard/Page")).Select(static path => Path.GetFileName(path)!).Where(static name => !name.EndsWith(".cs", StringComparison.Ordinal)).Order(StringComparer.Ordinal),
        PageFiles.Current.Assets.Keys.Append("index.html").Order(StringComparer.Ordinal));

    private static int Compressed(ReadOnlySpan<byte> bytes)
    {
        using var compressed = new MemoryStream(bytes.Length);
        using (var gzip = new GZipStream(compressed, CompressionLevel.Optimal, leaveOpen: true))
        {
            gzip.Write(bytes);
        }

        return (int)compressed.Length;
    }

    // Addresses of the document, and of imports.
    [GeneratedRegex("""(?:(?:<link rel="(?:stylesheet|modulepreload)" href|<script type="module" src)="|from ')([^"']+)["']""")]
    private static partial Regex Named();
}
