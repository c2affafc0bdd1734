using System.Globalization;
using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Compressed bodies that end inside of their content coding, of every kind of body: the request is complete for HTTP, and its data is not.</summary>
public sealed class CutBodyTests
{
    private static readonly Operation[] Operations =
    [
        Probe.Result("Text", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")]),
        Probe.Result("Size", ResultKind.Value, static (a, _) => ((ReadOnlyMemory<byte>)a["data"]!).Length, [Probe.Raw("data")], Verbs.Post),
        Probe.Result("Sum", ResultKind.Value, static (a, _) => SumAsync((IAsyncEnumerable<int>)a["numbers"]!), [Probe.Items("numbers")], Verbs.Post),
    ];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static MatrixTheoryData<string, string> Bodies => new(["gzip", "deflate", "br"], ["lines", "array", "json", "form", "bytes", "stream", "pipe", "multipart"]);

    [Theory]
    [MemberData(nameof(Bodies))]
    public async Task A_body_that_is_cut_inside_its_coding_is_400(string coding, string kind)
    {
        await using var host = await StartAsync(isGenerated: kind is "stream" or "pipe" or "multipart");
        var (path, mediaType, body, expected) = Example(kind);
        var packed = Pack(coding, body);
        using var whole = await SendAsync(host, path, mediaType, coding, packed);
        Assert.Equal((HttpStatusCode.OK, expected), (whole.StatusCode, await whole.Content.ReadAsStringAsync(Cancel)));

        foreach (var cut in (int[])[1, 20, packed.Length / 2])
        {
            using var refused = await SendAsync(host, path, mediaType, coding, packed[..^cut]);
            var problem = await refused.ReadProblemAsync(400, WeirCodes.BadArguments);
            Assert.EndsWith(" malformed", Assert.Single(problem.Errors()), StringComparison.Ordinal);
        }

        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Fact]
    public async Task Endpoints_of_the_application_refuse_it_too()
    {
        await using var host = await StartAsync(isGenerated: false);
        var packed = Pack("gzip", "1\n2\n"u8.ToArray());
        using var refused = await SendAsync(host, "/own", "text/plain", "gzip", packed[..^3]);
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
    }

    private static (string Path, string MediaType, byte[] Body, string Expected) Example(string kind)
    {
        var random = new Random(1);
        var numbers = Enumerable.Range(0, 5000).Select(_ => random.Next(1000)).ToList();
        var sum = numbers.Sum().ToString(CultureInfo.InvariantCulture);
        var letters = string.Concat(numbers.Select(static one => (char)('a' + (one % 26))));
        return kind switch
        {
            "lines" => ("/Probe/Sum", "application/x-ndjson", Encoding.UTF8.GetBytes(string.Join('\n', numbers)), sum),
            "array" => ("/Probe/Sum", "application/json", Encoding.UTF8.GetBytes($"[{string.Join(',', numbers)}]"), sum),
            "json" => ("/Probe/Text", "application/json", Encoding.UTF8.GetBytes($$"""{"x":"{{letters}}"}"""), letters),
            "form" => ("/Probe/Text", "application/x-www-form-urlencoded", Encoding.UTF8.GetBytes($"x={letters}&y=1"), letters),
            "bytes" => ("/Probe/Size", "application/octet-stream", Encoding.UTF8.GetBytes(letters), "5000"),
            "stream" => ("/Transfers/Upload", "application/octet-stream", Encoding.UTF8.GetBytes(letters), "5000"),
            "pipe" => ("/Transfers/UploadBlocking", "application/octet-stream", Encoding.UTF8.GetBytes(letters), "5000"),
            _ => ("/Transfers/Apply", "multipart/form-data; boundary=x", Encoding.UTF8.GetBytes($"--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n{letters}\r\n--x--\r\n"), $"{letters} 1  0001-01-01"),
        };
    }

    private static byte[] Pack(string coding, byte[] body)
    {
        using var packed = new MemoryStream();
        using (Stream stream = coding switch
        {
            "gzip" => new GZipStream(packed, CompressionMode.Compress, leaveOpen: true),
            "deflate" => new ZLibStream(packed, CompressionMode.Compress, leaveOpen: true),
            _ => new BrotliStream(packed, CompressionMode.Compress, leaveOpen: true),
        })
        {
            stream.Write(body);
        }

        return packed.ToArray();
    }

    private static Task<HttpResponseMessage> SendAsync(WeirHost host, string path, string mediaType, string coding, byte[] body)
    {
        var content = new ByteArrayContent(body) { Headers = { ContentType = MediaTypeHeaderValue.Parse(mediaType), ContentEncoding = { coding } } };
        return host.Client.PostAsync(path, content, Cancel);
    }

    private static async Task<object?> SumAsync(IAsyncEnumerable<int> numbers) => await numbers.SumAsync(Cancel);

    private static Task<WeirHost> StartAsync(bool isGenerated) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Services = static builder => builder.Services.AddRequestDecompression(),
        Before = static app => app.UseRequestDecompression(),
        Catalogs = isGenerated ? Generated.ApplicationCatalog.Catalogs : [new ProbeCatalog(Operations)],
        Weir = options =>
        {
            options.RunInline = !isGenerated;
            if (isGenerated)
            {
                TestPools.StartOnDemand(options);
            }
        },
        Prefix = isGenerated ? null : "",
        After = (app, _) =>
        {
            if (isGenerated)
            {
                app.MapWeirService<Transfers>();
            }

            app.MapPost("/own", static async (HttpRequest request) =>
            {
                using var reader = new StreamReader(request.Body);
                return await reader.ReadToEndAsync();
            });
        },
    });
}
