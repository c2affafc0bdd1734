using System.IO.Compression;
using System.Net.Http.Headers;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.IntegrationTests.Server;

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
        Assert.Equal(["$ body malformed"], problem.Faults());
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);

        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionMode.Compress, leaveOpen: true))
        {
            await gzip.WriteAsync(Encoding.UTF8.GetBytes("""{"x":"packed"}"""), Cancel);
        }

        using var good = await host.Client.PostAsync("/Probe/Echo", Json("gzip", packed.ToArray()), Cancel);
        Assert.Equal("packed", await good.Content.ReadAsStringAsync(Cancel));
    }

    private static ByteArrayContent Json(string coding, byte[] bytes)
    {
        var content = new ByteArrayContent(bytes);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        content.Headers.ContentEncoding.Add(coding);
        return content;
    }
}
