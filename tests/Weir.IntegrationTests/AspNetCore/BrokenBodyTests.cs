using System.IO.Compression;
using System.Net.Http.Headers;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Bodies that a middleware of the application unpacks.</summary>
public sealed class BrokenBodyTests
{
    private static readonly Operation Echo = Probe.Result("Echo", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")]);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("gzip")]
    [InlineData("deflate")]
    [InlineData("br")]
    public async Task A_body_that_does_not_unpack_is_400(string coding)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder => builder.Services.AddRequestDecompression(),
            Before = static app => app.UseRequestDecompression(),
        });
        using var broken = await host.Client.PostAsync("/Probe/Echo", Json(coding, Encoding.UTF8.GetBytes("""{"x":"this is not packed at all"}""")), Cancel);
        var problem = await broken.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(["$ body malformed"], problem.Errors());
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);

        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionMode.Compress, leaveOpen: true))
        {
            await gzip.WriteAsync(Encoding.UTF8.GetBytes("""{"x":"packed"}"""), Cancel);
        }

        using var good = await host.Client.PostAsync("/Probe/Echo", Json("gzip", packed.ToArray()), Cancel);
        Assert.Equal("packed", await good.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("/Probe/Echo", "application/x-www-form-urlencoded", "FFFFFFFF")]
    [InlineData("/Probe/Echo", "application/json", "80000000")]
    [InlineData("/Probe/Size", "text/plain", "FFFFFFFF;a=b")]
    [InlineData("/Probe/Sum", "application/x-ndjson", "FFFFFFFF")]
    [InlineData("/Probe/Sum", "application/json", "9abcdef0")]
    [InlineData("/Probe/Echo?x=1", "text/xml", "FFFFFFFF")]
    public async Task A_chunk_size_that_no_body_can_have_is_400_and_no_failure_of_the_server(string path, string mediaType, string size)
    {
        await using var host = await WeirHost.StartAsync(
            Echo,
            Probe.Result("Size", ResultKind.Value, static (a, _) => ((ReadOnlyMemory<byte>)a["data"]!).Length, [Probe.Raw("data")], Verbs.Post),
            Probe.Result("Sum", ResultKind.Value, static (a, _) => SumAsync((IAsyncEnumerable<int>)a["numbers"]!), [Probe.Items("numbers")], Verbs.Post));
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST {path} HTTP/1.1\nHost: x\nContent-Type: {mediaType}\nTransfer-Encoding: chunked", $"3\r\n1\n2\r\n{size}\r\nxyz");
        var answer = await connection.ReadToEndAsync();
        Assert.StartsWith("HTTP/1.1 400 ", answer, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.BadArguments, answer, StringComparison.Ordinal);
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning || line.Error is not null);

        static async Task<object?> SumAsync(IAsyncEnumerable<int> numbers) => await numbers.SumAsync(Cancel);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_streamed_request_whose_deadline_passes_leaves_its_connection_usable(bool chunked)
    {
        await using var host = await WeirHost.StartAsync(
            Echo, Probe.Result("Sum", ResultKind.Value, static (a, context) => SumAsync((IAsyncEnumerable<int>)a["numbers"]!, context.CancellationToken), [Probe.Items("numbers")], Verbs.Post));
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync(
            $"POST /Probe/Sum HTTP/1.1\nHost: x\nWeir-Deadline-Ms: 100\nContent-Type: application/x-ndjson\n{(chunked ? "Transfer-Encoding: chunked" : "Content-Length: 4")}",
            chunked ? "2\r\n1\n\r\n" : "1\n");
        await connection.ReadUntilAsync(WeirCodes.DeadlineExceeded);
        await connection.SendRawAsync(chunked ? "2\r\n2\n\r\n0\r\n\r\n" : "2\n");
        await connection.SendAsync("GET /Probe/Echo?x=healthy HTTP/1.1\nHost: x\nConnection: close");
        Assert.EndsWith("\r\n\r\nhealthy", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning || line.Error is not null);

        static async Task<object?> SumAsync(IAsyncEnumerable<int> numbers, CancellationToken cancellationToken) => await numbers.SumAsync(cancellationToken);
    }

    private static ByteArrayContent Json(string coding, byte[] bytes)
    {
        var content = new ByteArrayContent(bytes);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        content.Headers.ContentEncoding.Add(coding);
        return content;
    }
}
