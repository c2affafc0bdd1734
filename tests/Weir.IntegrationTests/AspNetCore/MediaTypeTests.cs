using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Results of bytes whose operations say what they are.</summary>
public sealed class MediaTypeTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Image", "", "image/png", "\u0001\u0002\u0003")]
    [InlineData("Image", "*/*", "image/png", "\u0001\u0002\u0003")]
    [InlineData("Image", "image/*", "image/png", "\u0001\u0002\u0003")]
    [InlineData("Image", "text/html, IMAGE/PNG;q=0.5", "image/png", "\u0001\u0002\u0003")]
    [InlineData("Image", "application/json", "application/json", "\"AQID\"")]
    [InlineData("Image", "application/json;q=0.5, image/png;q=0.1", "application/json", "\"AQID\"")]
    [InlineData("Image.json", "image/png", "application/json", "\"AQID\"")]
    [InlineData("Image.bin", "text/html", "image/png", "\u0001\u0002\u0003")]
    [InlineData("Maybe?isNull=false", "image/png", "image/png", "\u0004")]
    [InlineData("Maybe?isNull=true", "image/png", "application/json", "null")]
    [InlineData("Table", "", "text/csv; charset=utf-8", "a,b\nc,d\n")]
    [InlineData("Table", "text/csv", "text/csv; charset=utf-8", "a,b\nc,d\n")]
    [InlineData("Table", "application/json", "application/json", "[\"YSxiCg==\",\"YyxkCg==\"]")]
    [InlineData("Document", "", "application/pdf", "%PDF")]
    [InlineData("Document", "application/*", "application/pdf", "%PDF")]
    [InlineData("Chosen", "image/png", "image/webp", "\u0005")]
    public async Task The_media_type_is_what_is_sent_and_what_Accept_is_compared_with(string path, string accept, string mediaType, string body)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, HttpMethod.Get, path, accept);
        Assert.Equal((HttpStatusCode.OK, mediaType), (response.StatusCode, response.Content.Headers.ContentType?.ToString().Replace("json; charset=utf-8", "json", StringComparison.Ordinal)));
        Assert.Equal(body, await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(!path.StartsWith("Document", StringComparison.Ordinal) && !path.Contains('.', StringComparison.Ordinal), response.Headers.Vary.Contains("Accept"));
    }

    [Theory]
    [InlineData("Image", "image/jpeg", "image/png, application/json")]
    [InlineData("Image", "application/octet-stream", "image/png, application/json")]
    [InlineData("Table", "application/octet-stream", "text/csv, application/json")]
    [InlineData("Document", "image/*", "application/pdf; the request")]
    [InlineData("Document", "application/pdf;q=0, */*;q=0.1", "application/pdf; the request")]
    public async Task What_is_not_accepted_is_refused_with_what_there_is(string path, string accept, string there)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, HttpMethod.Get, path, accept);
        Assert.Equal(HttpStatusCode.NotAcceptable, response.StatusCode);
        Assert.Contains(there, await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Image", "image/png")]
    [InlineData("Table", "text/csv; charset=utf-8")]
    [InlineData("Document", "application/pdf")]
    public async Task HEAD_says_it_too(string path, string mediaType)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, HttpMethod.Head, path, "");
        Assert.Equal((HttpStatusCode.OK, mediaType), (response.StatusCode, response.Content.Headers.ContentType?.ToString()));
    }

    [Fact]
    public async Task A_generated_client_asks_for_it_and_reads_it()
    {
        await using var host = await StartAsync();
        var client = WeirClient.Create<IMedia>(host.Client);
        Assert.Equal([1, 2, 3], await client.Image(Cancel));
        Assert.Equal([4], await client.Maybe(false, Cancel));
        Assert.Null(await client.Maybe(true, Cancel));
        Assert.Equal([5], await client.Chosen(Cancel));
        Assert.Equal("a,b\nc,d\n", Encoding.UTF8.GetString([.. (await client.Table(Cancel).ToListAsync(Cancel)).SelectMany(static one => one.ToArray())]));
        using var document = new StreamReader(await client.Document(Cancel));
        Assert.Equal("%PDF", await document.ReadToEndAsync(Cancel));
    }

    private static async Task<HttpResponseMessage> SendAsync(WeirHost host, HttpMethod method, string path, string accept)
    {
        using var request = new HttpRequestMessage(method, "/Media/" + path);
        if (accept.Length > 0)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }

        return await host.Client.SendAsync(request, Cancel);
    }

    private static Task<WeirHost> StartAsync() => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Prefix = null,
        Weir = static options => TestPools.StartOnDemand(options),
        After = static (app, _) => app.MapWeirService<IMedia>(),
    });
}
