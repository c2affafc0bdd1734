using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using System.Reflection;

namespace Weir.Samples.Tests;

public sealed class ScansTests : IAsyncLifetime
{
    private const string Listening = "Now listening on: ";

    private static readonly string Program = typeof(ScansTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static one => one.Key == "Scans").Value!;

    private readonly HttpClient _client = new();
    private Process? _application;
    private Task? _output;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        string[] arguments = [Program, "--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default=None", "--Logging:LogLevel:Microsoft.Hosting.Lifetime=Information"];
        _application = Process.Start(new ProcessStartInfo("dotnet", arguments) { RedirectStandardOutput = true, WorkingDirectory = Path.GetDirectoryName(Program) })!;
        while (_client.BaseAddress is null && await _application.StandardOutput.ReadLineAsync(Cancel) is { } line)
        {
            _client.BaseAddress = line.IndexOf(Listening, StringComparison.Ordinal) is >= 0 and var at ? new Uri(line[(at + Listening.Length)..]) : null;
        }

        Assert.NotNull(_client.BaseAddress);
        _output = _application.StandardOutput.ReadToEndAsync(CancellationToken.None);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        if (_application is { } application)
        {
            application.Kill(entireProcessTree: true);
            await application.WaitForExitAsync(CancellationToken.None);
            await (_output ?? Task.CompletedTask);
            application.Dispose();
        }
    }

    [Fact]
    public async Task An_uploaded_page_comes_back_in_grey_with_its_media_type_length_and_name()
    {
        using var response = await ConvertAsync(Bitmap(200, 100), "Seite größer.bmp", width: 50);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("image/png", response.Content.Headers.ContentType!.ToString());
        Assert.Equal("Seite größer.png", response.Content.Headers.ContentDisposition!.FileNameStar);
        var png = await response.Content.ReadAsByteArrayAsync(Cancel);
        Assert.Equal(png.Length, response.Content.Headers.ContentLength);
        Assert.Equal((50, 25, 0), (Number(png, 16), Number(png, 20), png[25]));
    }

    [Fact]
    public async Task What_is_no_image_is_refused_by_its_name()
    {
        using var response = await ConvertAsync("a letter"u8.ToArray(), "letter.txt", width: 50);

        Assert.Equal(HttpStatusCode.UnprocessableEntity, response.StatusCode);
        Assert.Equal("letter.txt is no image that can be read.", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task An_image_that_crashes_the_library_ends_its_worker_and_no_other_call()
    {
        var converting = ConvertAsync(Bitmap(2000, 2000), "beside.bmp", width: 1000);
        using var damaged = await _client.PostAsync(new Uri("/Scans/Damaged", UriKind.Relative), null, Cancel);
        Assert.Equal(HttpStatusCode.BadGateway, damaged.StatusCode);
        Assert.Contains("SIGSEGV", await damaged.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);

        using var beside = await converting;
        Assert.Equal(HttpStatusCode.OK, beside.StatusCode);
        using var after = await ConvertAsync(Bitmap(200, 100), "after.bmp", width: 100);
        Assert.Equal(HttpStatusCode.OK, after.StatusCode);
        Assert.False(_application!.HasExited);
    }

    private async Task<HttpResponseMessage> ConvertAsync(byte[] image, string name, int width)
    {
        using var file = new ByteArrayContent(image) { Headers = { ContentType = new MediaTypeHeaderValue("application/octet-stream") } };
        using var form = new MultipartFormDataContent { { file, "scan", name } };
        return await _client.PostAsync(new Uri($"/Scans/ToGrey?width={width}", UriKind.Relative), form, Cancel);
    }

    // A bitmap of 24 bits for each pixel, from the lower left: a gradient.
    private static byte[] Bitmap(int width, int height)
    {
        const int Header = 54;
        var row = (width * 3 + 3) / 4 * 4;
        var image = new byte[Header + row * height];
        "BM"u8.CopyTo(image);
        foreach (var (at, value) in ((int, int)[])[(2, image.Length), (10, Header), (14, 40), (18, width), (22, height), (26, 1 | 24 << 16)])
        {
            BinaryPrimitives.WriteInt32LittleEndian(image.AsSpan(at), value);
        }

        for (var i = Header; i < image.Length; i++)
        {
            image[i] = (byte)(i / 7);
        }

        return image;
    }

    private static int Number(byte[] png, int at) => BinaryPrimitives.ReadInt32BigEndian(png.AsSpan(at));
}
