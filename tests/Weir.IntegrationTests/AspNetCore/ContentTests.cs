using System.Globalization;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Net.Http.Headers;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Bytes and files over HTTP, the same wherever the operation runs.</summary>
public abstract class ContentTests
{
    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private protected const int Limit = 60_000;

    private protected abstract string Service { get; }

    private protected virtual bool RunInline => false;

    private protected virtual bool IsInline => false;

    private protected static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory(Timeout = Limit)]
    [InlineData(null, null, null, 200, "0123456789")]
    [InlineData("bytes=2-4", null, null, 206, "234")]
    [InlineData("bytes=-2", "\"v1\"", null, 206, "89")]
    [InlineData("bytes=-2", "\"v2\"", null, 200, "0123456789")]
    [InlineData("bytes=5-", "Sun, 06 Nov 1994 08:49:37 GMT", null, 206, "56789")]
    [InlineData("bytes=20-", null, null, 416, "")]
    [InlineData("bytes=0-1,4-5", null, null, 200, "0123456789")]
    [InlineData(null, null, "W/\"v1\"", 304, "")]
    [InlineData("bytes=2-4", null, "\"v2\", \"v1\"", 304, "")]
    [InlineData("bytes=2-4", null, "\"v2\"", 206, "234")]
    public async Task A_download_is_what_its_reader_asks_for(string? range, string? ifRange, string? known, int status, string expected)
    {
        await using var host = await StartAsync();
        using var response = await GetAsync(host, HttpMethod.Get, "Download?seekable=true", range, ifRange, known);
        Assert.Equal((status, expected), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        Assert.Equal(status is 200 or 206 ? "text/x-scan" : null, response.Content.Headers.ContentType?.ToString());
        Assert.Equal(status is 200 or 206 ? "attachment; filename=a.txt" : null, response.Content.Headers.ContentDisposition?.ToString());
        Assert.Equal("\"v1\"", response.Headers.ETag?.ToString());
        Assert.Equal(status == 304 ? null : "bytes", response.Headers.AcceptRanges.SingleOrDefault());
        Assert.Equal(status == 416 ? "bytes */10" : status == 206 ? $"bytes {expected[0]}-{expected[^1]}/10" : null, response.Content.Headers.ContentRange?.ToString());
        if (status != 304)
        {
            Assert.Equal(expected.Length, response.Content.Headers.ContentLength);
        }
    }

    [Theory(Timeout = Limit)]
    [InlineData("Download?seekable=true", null, 200, 10L)]
    [InlineData("Download?seekable=false", null, 200, null)]
    [InlineData("Download?seekable=true", "\"v1\"", 304, null)]
    [InlineData("Say?length=7&has=7", null, 200, 7L)]
    public async Task HEAD_has_the_headers_and_no_content(string path, string? known, int status, long? length)
    {
        await using var host = await StartAsync();
        // A range is defined for GET only.
        using var response = await GetAsync(host, HttpMethod.Head, path, "bytes=2-4", null, known);
        Assert.Equal((status, status == 304 ? null : length), ((int)response.StatusCode, status == 304 ? null : response.Content.Headers.ContentLength));
        Assert.Empty(await response.Content.ReadAsByteArrayAsync(Cancel));
    }

    [Theory(Timeout = Limit)]
    [InlineData("Download?seekable=false", 200, "xxxxxxxxxx")]
    [InlineData("Download?seekable=true&status=201", 201, "0123456789")]
    [InlineData("Say?length=10&has=10", 200, "xxxxxxxxxx")]
    public async Task Where_there_is_no_range_all_of_it_is_sent(string path, int status, string expected)
    {
        await using var host = await StartAsync();
        using var response = await GetAsync(host, HttpMethod.Get, path, "bytes=2-4");
        Assert.Equal((status, expected), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        Assert.Empty(response.Headers.AcceptRanges);
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_without_a_context_has_ranges_too()
    {
        await using var host = await StartAsync();
        using var response = await GetAsync(host, HttpMethod.Get, "Plain", "bytes=2-4");
        Assert.Equal((HttpStatusCode.PartialContent, "234", "application/octet-stream"), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel), response.Content.Headers.ContentType?.ToString()));
    }

    [Theory(Timeout = Limit)]
    [InlineData("Say?length=300000&has=299999")]
    [InlineData("Say?length=300000&has=300001")]
    [InlineData("Break?after=300000&saysLength=false")]
    [InlineData("Break?after=1000000&saysLength=true")]
    public async Task A_download_that_fails_in_the_middle_never_looks_complete(string path)
    {
        await using var host = await StartAsync();
        await NeverCompleteAsync(host, path);
    }

    [Fact(Timeout = Limit)]
    public async Task Bytes_arrive_as_they_are()
    {
        await using var host = await StartAsync();
        Assert.Equal("a b", await PostAsync(host, "Read?title=a", new StringContent("b")));
        Assert.Equal("a 5000000", await PostAsync(host, "Read?title=a", new ByteArrayContent(new byte[5_000_000])));
        Assert.Equal("a ", await PostAsync(host, "Read?title=a", null));
        Assert.Equal("5000000", await PostAsync(host, "ReadPipe", new ByteArrayContent(new byte[5_000_000])));
        Assert.Equal("ping", await PostAsync(host, "Echo", new StringContent("ping")));
    }

    [Fact(Timeout = Limit)]
    public async Task A_form_is_not_bytes()
    {
        await using var host = await StartAsync();
        using var form = new MultipartFormDataContent { { new StringContent("x"), "file", "a.txt" } };
        using var response = await host.Client.PostAsync($"/{Service}/Read?title=a", form, Cancel);
        await response.ReadProblemAsync(415, WeirCodes.UnsupportedMediaType);
    }

    [Fact(Timeout = Limit)]
    public async Task A_file_arrives_with_its_fields()
    {
        await using var host = await StartAsync();
        Assert.Equal("Härte 1+2 scan a.tif image/tiff content", await PostAsync(host, "File", Form(("title", "Härte"), ("pages", "1"), ("pages", "2"), ("scan:a.tif", "content"))));
        Assert.Equal("a 1 scan a.tif image/tiff 5000000", await PostAsync(host, "File", Form(("title", "a"), ("pages", "1"), ("scan:a.tif", new string('x', 5_000_000)))));
    }

    [Fact(Timeout = Limit)]
    public async Task A_file_may_be_absent_where_the_operation_says_so()
    {
        await using var host = await StartAsync();
        Assert.Equal("none", await PostAsync(host, "Optional", null));
        Assert.Equal("none", await PostAsync(host, "Optional", Form(("x", "1"))));
        Assert.Equal("none", await PostAsync(host, "Optional", new FormUrlEncodedContent([new("x", "1")])));
        Assert.Equal("abc", await PostAsync(host, "Optional", Form(("other:o", "1"), ("scan:a", "abc"), ("other:o", "2"))));
    }

    [Fact(Timeout = Limit)]
    public async Task Several_files_arrive_in_their_order()
    {
        await using var host = await StartAsync();
        Assert.Equal("3: a 1, b 200000, c ", await PostAsync(host, "Files", Form(("scan:a", "1"), ("scan:b", new string('x', 200_000)), ("scan:c", ""))));
        Assert.Equal("0: ", await PostAsync(host, "Files", Form(("x", "1"))));
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_need_not_read_all_of_a_file()
    {
        await using var host = await StartAsync();
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal("a", await PostAsync(host, "Begin", Form(("scan:a", "a" + new string('x', 3_000_000)))));
        }
    }

    [Fact(Timeout = Limit)]
    public async Task What_is_wrong_with_a_form_is_a_binding_error()
    {
        await using var host = await StartAsync();
        await RefusedAsync(host, "scan form missing", Form(("title", "a"), ("pages", "1")));
        await RefusedAsync(host, "scan form duplicate", Form(("title", "a"), ("pages", "1"), ("scan:a", "1"), ("scan:b", "2")));
        await RefusedAsync(host, "pages[0] form invalid", Form(("title", "a"), ("pages", "x"), ("scan:a", "1")));
    }

    [Fact(Timeout = Limit)]
    public Task An_upload_that_is_cut_is_never_a_complete_file() => CutAsync("Store");

    private protected async Task CutAsync(string operation)
    {
        await using var host = await StartAsync();
        var isForm = operation == "StoreFile";
        var (start, end) = isForm ? ("--b\r\nContent-Disposition: form-data; name=scan; filename=a\r\n\r\n", "\r\n--b--\r\n") : ("", "");
        var type = isForm ? "multipart/form-data; boundary=b" : "application/octet-stream";
        var content = new string('x', 100_000);
        var folder = Directory.CreateTempSubdirectory("weir-content-");
        try
        {
            var path = Path.Combine(folder.FullName, "whole");
            using (var whole = await RawConnection.OpenAsync(host.Http1))
            {
                await whole.SendAsync(Head(path, start.Length + content.Length + end.Length) + "\nConnection: close", start + content + end);
                Assert.StartsWith("HTTP/1.1 204", await whole.ReadToEndAsync(), StringComparison.Ordinal);
                Assert.Equal(content.Length, new FileInfo(path).Length);
            }

            foreach (var isReset in (bool[])[false, true])
            {
                path = Path.Combine(folder.FullName, isReset ? "reset" : "short");
                using var connection = await RawConnection.OpenAsync(host.Http1);
                await connection.SendAsync(Head(path, start.Length + content.Length + end.Length), start + content[..50_000]);
                await ExistsAsync(path + ".part");
                if (isReset)
                {
                    connection.Reset();
                }
                else
                {
                    connection.Dispose();
                }

                await ExistsAsync(path + ".failed");
                Assert.False(File.Exists(path));
            }

            if (isForm)
            {
                // Complete for HTTP, and not for the form.
                path = Path.Combine(folder.FullName, "form");
                using var connection = await RawConnection.OpenAsync(host.Http1);
                await connection.SendAsync(Head(path, start.Length + content.Length) + "\nConnection: close", start + content);
                Assert.StartsWith("HTTP/1.1 400", await connection.ReadToEndAsync(), StringComparison.Ordinal);
                Assert.False(File.Exists(path));
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }

        string Head(string path, int length) => $"POST /{Service}/{operation}?path={Uri.EscapeDataString(path)} HTTP/1.1\nHost: x\nContent-Type: {type}\nContent-Length: {length}";
    }

    [Fact(Timeout = Limit)]
    public async Task The_servers_limit_for_a_body_holds()
    {
        await using var host = await StartAsync(services: static builder => builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBodySize = 100_000));
        using var response = await host.Client.PostAsync($"/{Service}/Read?title=a", new ByteArrayContent(new byte[100_001]), Cancel);
        await response.ReadProblemAsync(413, WeirCodes.BodyTooLarge);
    }

    private protected async Task NeverCompleteAsync(WeirHost host, string path)
    {
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"GET /{Service}/{path} HTTP/1.1\nHost: x");
        var answer = await connection.ReadToEndAsync();
        Assert.StartsWith("HTTP/1.1 200", answer, StringComparison.Ordinal);
        Assert.False(answer.EndsWith("0\r\n\r\n", StringComparison.Ordinal));
        if (answer.Split("Content-Length: ") is [_, var said, ..])
        {
            Assert.True(connection.Body.Length < int.Parse(said.Split('\r')[0], CultureInfo.InvariantCulture));
        }
    }

    private protected async Task<string> PostAsync(WeirHost host, string path, HttpContent? content)
    {
        using var response = await host.Client.PostAsync($"/{Service}/{path}", content, Cancel);
        var text = await response.Content.ReadAsStringAsync(Cancel);
        Assert.True(response.IsSuccessStatusCode, text);
        return text;
    }

    private protected static MultipartFormDataContent Form(params (string Name, string Value)[] parts)
    {
        var form = new MultipartFormDataContent();
        foreach (var (name, value) in parts)
        {
            if (name.Split(':') is [var field, var file])
            {
                var content = new StringContent(value, Encoding.UTF8);
                content.Headers.ContentType = new("image/tiff");
                form.Add(content, field, file);
            }
            else
            {
                form.Add(new StringContent(value), name);
            }
        }

        return form;
    }

    private protected async Task RefusedAsync(WeirHost host, string error, MultipartFormDataContent form, string operation = "File")
    {
        using var response = await host.Client.PostAsync($"/{Service}/{operation}", form, Cancel);
        Assert.Equal([error], (await response.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
    }

    private protected Task<WeirHost> StartAsync(
        Action<WebApplicationBuilder>? services = null, Action<WebApplication>? before = null, Action<WeirServerOptions>? server = null, Action<IEndpointConventionBuilder>? endpoints = null) =>
        WeirHost.StartAsync(new WeirHost.Setup
        {
            Services = services,
            Before = before,
            Options = server,
            Catalogs = ApplicationCatalog.Catalogs,
            Prefix = null,
            Weir = options =>
            {
                TestPools.StartOnDemand(options, static pool => pool.MaxWorkers = 1);
                options.RunInline = RunInline;
            },
            After = (app, _) =>
            {
                IEndpointConventionBuilder mapped = IsInline ? app.MapWeirService<InlineScans>() : app.MapWeirService<Scans>();
                endpoints?.Invoke(mapped);
            },
        });

    private async Task<HttpResponseMessage> GetAsync(WeirHost host, HttpMethod method, string path, string? range = null, string? ifRange = null, string? known = null)
    {
        using var request = new HttpRequestMessage(method, $"/{Service}/{path}");
        foreach (var (header, value) in (ReadOnlySpan<(string, string?)>)[(HeaderNames.Range, range), (HeaderNames.IfRange, ifRange), (HeaderNames.IfNoneMatch, known)])
        {
            if (value is not null)
            {
                request.Headers.TryAddWithoutValidation(header, value);
            }
        }

        return await host.Client.SendAsync(request, Cancel);
    }

    private static async Task ExistsAsync(string path)
    {
        using var pace = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (!File.Exists(path))
        {
            await pace.WaitForNextTickAsync(Cancel);
        }
    }
}

public sealed class InlineHttpContentTests : ContentTests
{
    private protected override string Service => "InlineScans";

    private protected override bool IsInline => true;
}

public sealed class RunInlineHttpContentTests : IsolatedContentTests
{
    private protected override bool RunInline => true;
}

public sealed class PoolHttpContentTests : IsolatedContentTests
{
    [Theory(Timeout = Limit)]
    [InlineData("Die?after=300000&saysLength=false")]
    [InlineData("Die?after=1000000&saysLength=true")]
    public async Task A_download_whose_worker_dies_never_looks_complete(string path)
    {
        await using var host = await StartAsync();
        await NeverCompleteAsync(host, path);
        Assert.Equal("a b", await PostAsync(host, "Read?title=a", new StringContent("b")));
    }

    [Fact(Timeout = Limit)]
    public async Task A_sender_that_is_silent_loses_its_worker()
    {
        await using var host = await StartAsync(server: static options => options.SenderStallTimeout = TimeSpan.FromSeconds(1));
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync("POST /Scans/Read?title=a HTTP/1.1\nHost: x\nContent-Length: 100", "abc");
        var answer = await connection.ReadUntilAsync("traceId");
        Assert.StartsWith("HTTP/1.1 408", answer, StringComparison.Ordinal);
        Assert.Contains("no byte of the body", answer, StringComparison.Ordinal);
    }
}

/// <summary>What a form that is read while it arrives demands of its sender.</summary>
public abstract class IsolatedContentTests : ContentTests
{
    private protected override string Service => "Scans";

    [Fact(Timeout = Limit)]
    public Task A_form_that_is_cut_is_never_a_complete_file() => CutAsync("StoreFile");

    [Fact(Timeout = Limit)]
    public async Task The_fields_of_a_form_come_before_its_files()
    {
        await using var host = await StartAsync();
        await RefusedAsync(host, "title form malformed", Form(("scan:a", "1"), ("title", "a")), "TitledFile");
        Assert.Equal("a 1 scan a image/tiff 1", await PostAsync(host, "File", Form(("title", "a"), ("pages", "1"), ("scan:a", "1"), ("unknown", "x"))));
    }

    [Fact(Timeout = Limit)]
    public async Task The_limits_for_forms_hold()
    {
        await using var host = await StartAsync(services: static builder => builder.Services.Configure<FormOptions>(static form => (form.ValueCountLimit, form.MultipartBodyLengthLimit) = (2, 1000)));
        using var many = await host.Client.PostAsync("/Scans/File", Form(("title", "a"), ("pages", "1"), ("pages", "2"), ("scan:a", "1")), Cancel);
        Assert.Equal(["$ body malformed"], (await many.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
        await RefusedAsync(host, "scan form malformed", Form(("title", "a"), ("pages", "1"), ("scan:a", new string('x', 1001))));
    }

    [Fact(Timeout = Limit)]
    public async Task A_form_that_other_code_has_read_is_used_as_it_is()
    {
        await using var host = await StartAsync(before: static app => app.Use(static async (http, next) =>
        {
            await http.Request.ReadFormAsync(http.RequestAborted);
            await next();
        }));
        Assert.Equal("a 1 scan a image/tiff content", await PostAsync(host, "File", Form(("scan:a", "content"), ("title", "a"), ("pages", "1"))));
        await RefusedAsync(host, "scan form duplicate", Form(("title", "a"), ("pages", "1"), ("scan:a", "1"), ("scan:b", "2")));
    }

    [Fact(Timeout = Limit)]
    public async Task An_antiforgery_token_is_read_from_the_header_and_never_from_the_form()
    {
        var hasRead = false;
        await using var host = await StartAsync(
            services: static builder => builder.Services.AddAntiforgery(),
            before: app =>
            {
                app.UseRouting();
                app.UseAntiforgery();
                app.Use(async (http, next) =>
                {
                    await next();
                    hasRead |= http.Features.Get<IFormFeature>()?.Form is not null;
                });
                app.MapGet("/token", static (HttpContext http, IAntiforgery antiforgery) => antiforgery.GetAndStoreTokens(http).RequestToken);
            },
            endpoints: static mapped => mapped.WithMetadata(new RequireAntiforgeryTokenAttribute()));
        using var cookies = new HttpClient { BaseAddress = host.Http1 };
        var token = await cookies.GetStringAsync("/token", Cancel);
        using var withField = await cookies.PostAsync("/Scans/File", Form(("__RequestVerificationToken", token), ("title", "a"), ("pages", "1"), ("scan:a", "1")), Cancel);
        Assert.Contains("in the header", (await withField.ReadProblemAsync(400, WeirCodes.CrossSiteRefused)).GetProperty("detail").GetString(), StringComparison.Ordinal);
        using var request = new HttpRequestMessage(HttpMethod.Post, "/Scans/File") { Content = Form(("title", "a"), ("pages", "1"), ("scan:a", "1")) };
        request.Headers.Add("RequestVerificationToken", token);
        using var withHeader = await cookies.SendAsync(request, Cancel);
        Assert.Equal("a 1 scan a image/tiff 1", await withHeader.Content.ReadAsStringAsync(Cancel));
        using var wrong = new HttpRequestMessage(HttpMethod.Post, "/Scans/File") { Content = Form(("title", "a"), ("pages", "1"), ("scan:a", "1")) };
        wrong.Headers.Add("RequestVerificationToken", "wrong");
        using var refused = await cookies.SendAsync(wrong, Cancel);
        await refused.ReadProblemAsync(400, WeirCodes.CrossSiteRefused);
        Assert.False(hasRead);
    }
}
