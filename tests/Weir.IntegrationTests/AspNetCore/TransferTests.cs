using System.Net;
using System.Net.Http.Headers;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Bytes of any size in and out, and forms with files.</summary>
public sealed class TransferTests
{
    private const long Large = 300L << 20;
    private const long VeryLarge = 5L << 30;

    // What a transfer may add to this process, which is server and client at once: a buffered one adds all of its size.
    private const long Bound = 150L << 20;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static TheoryData<string> Uploads { get; } = ["/Transfers/Upload?name=abc", "/Transfers/UploadBlocking"];

    public static TheoryData<string> Downloads { get; } = ["/Transfers/Download", "/Transfers/DownloadPipe", "/Transfers/DownloadPieces"];

    [Theory]
    [MemberData(nameof(Uploads))]
    public Task An_upload_needs_little_memory(string path) => UploadAsync(path, Large);

    [Theory]
    [MemberData(nameof(Downloads))]
    public Task A_download_needs_little_memory(string path) => DownloadAsync(path, Large);

    [Theory, Trait("Kind", "Long")]
    [MemberData(nameof(Uploads))]
    public Task An_upload_of_5_GB_needs_no_more(string path) => UploadAsync(path, VeryLarge);

    [Theory, Trait("Kind", "Long")]
    [MemberData(nameof(Downloads))]
    public Task A_download_of_5_GB_needs_no_more(string path) => DownloadAsync(path, VeryLarge);

    [Fact]
    public async Task A_size_limit_holds_for_a_body_that_the_operation_reads()
    {
        await using var host = await StartAsync();
        using var small = await host.Client.PostAsync("/Transfers/UploadSmall", new ByteArrayContent(new byte[1000]), Cancel);
        Assert.Equal("1000", await small.Content.ReadAsStringAsync(Cancel));
        using var large = await host.Client.PostAsync("/Transfers/UploadSmall", new ByteArrayContent(new byte[1001]), Cancel);
        await large.ReadProblemAsync(413, WeirCodes.BodyTooLarge);
    }

    [Fact]
    public async Task A_multipart_body_is_not_the_bytes_that_its_sender_means()
    {
        await using var host = await StartAsync();
        using var form = new MultipartFormDataContent { { new StringContent("x"), "file", "a.txt" } };
        using var response = await host.Client.PostAsync("/Transfers/Upload", form, Cancel);
        await response.ReadProblemAsync(415, WeirCodes.UnsupportedMediaType);
    }

    [Theory]
    [InlineData("/Transfers/Download?length=3", null, "image/x-any", "ppp")]
    [InlineData("/Transfers/DownloadPipe?length=0", "application/json", "application/octet-stream", "")]
    [InlineData("/Transfers/DownloadPieces?length=3", null, "application/octet-stream", "ppp")]
    [InlineData("/Transfers/DownloadPieces.json?length=3", null, "application/json", "[\"cHBw\"]")]
    [InlineData("/Transfers/Isolated?count=2", null, "application/octet-stream", "a0a1")]
    [InlineData("/Transfers/Lane?count=2", null, "application/octet-stream", "b0b1")]
    [InlineData("/Transfers/Lane?count=2", "application/x-ndjson", "application/x-ndjson", "\"YjA=\"\n\"YjE=\"\n")]
    public async Task Bytes_are_sent_as_they_are(string path, string? accept, string mediaType, string expected)
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.TryAddWithoutValidation("Accept", accept);
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(expected, await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(mediaType, response.Content.Headers.ContentType?.ToString());
    }

    [Fact]
    public async Task A_stream_of_known_length_says_it()
    {
        await using var host = await StartAsync();
        using var response = await host.Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, "/Transfers/Seekable"), Cancel);
        Assert.Equal(3, response.Content.Headers.ContentLength);
        Assert.Equal([1, 2, 3], await host.Client.GetByteArrayAsync("/Transfers/Seekable", Cancel));
    }

    [Fact]
    public async Task A_stream_that_fails_is_a_problem_or_a_cut()
    {
        await using var host = await StartAsync();
        using var first = await host.Client.GetAsync("/Transfers/Broken?after=0", Cancel);
        await first.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        await Assert.ThrowsAnyAsync<Exception>(() => host.Client.GetByteArrayAsync("/Transfers/Broken?after=100000", Cancel));
    }

    [Fact]
    public async Task Files_and_values_of_one_form_bind_together()
    {
        await using var host = await StartAsync();
        using var form = new MultipartFormDataContent { { new StringContent("a title"), "title" }, { new StringContent("1"), "numbers" }, { new StringContent("2"), "numbers" }, { new ByteArrayContent(new byte[100_000]), "file", "a.bin" } };
        using var response = await host.Client.PostAsync("/Transfers/File", form, Cancel);
        Assert.Equal("a.bin 100000 a title 1+2 ", await response.Content.ReadAsStringAsync(Cancel));

        using var several = new MultipartFormDataContent { { new StringContent("x"), "same", "1" }, { new StringContent("x"), "same", "2" }, { new StringContent("x"), "other", "3" }, { new StringContent("x"), "value" } };
        using var counted = await host.Client.PostAsync("/Transfers/Files", several, Cancel);
        Assert.Equal("3 2 1", await counted.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task An_object_is_made_of_the_values_and_files_of_a_form()
    {
        await using var host = await StartAsync();
        using var form = new MultipartFormDataContent { { new StringContent("Ada"), "name" }, { new StringContent("2"), "years" }, { new StringContent("3"), "years" }, { new ByteArrayContent(new byte[5]), "letter", "a.txt" } };
        using var response = await host.Client.PostAsync("/Transfers/Apply", form, Cancel);
        Assert.Equal("Ada 2+3 5 0001-01-01", await response.Content.ReadAsStringAsync(Cancel));

        using var values = new FormUrlEncodedContent([new("Name", "Ada"), new("Sent", "2026-01-31")]);
        using var second = await host.Client.PostAsync("/Transfers/Apply", values, Cancel);
        Assert.Equal("Ada 1  2026-01-31", await second.Content.ReadAsStringAsync(Cancel));

        using var empty = await host.Client.PostAsync("/Transfers/Apply", new FormUrlEncodedContent([]), Cancel);
        Assert.Equal(["Name form missing"], (await empty.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
    }

    [Theory]
    [InlineData("/Transfers/File", "file", "second")]
    [InlineData("/Transfers/File", "second", "file")]
    [InlineData("/Transfers/Apply", "letter", null)]
    public async Task A_second_file_for_one_is_a_duplicate(string path, string twice, string? once)
    {
        await using var host = await StartAsync();
        using var form = new MultipartFormDataContent { { new StringContent("a"), path.EndsWith("File", StringComparison.Ordinal) ? "title" : "name" } };
        foreach (var name in (string?[])[twice, once, twice])
        {
            if (name is not null)
            {
                form.Add(new StringContent("x"), name, $"{name}.txt");
            }
        }

        using var response = await host.Client.PostAsync(path, form, Cancel);
        Assert.Equal([$"{twice} form duplicate"], (await response.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors().Select(static one => char.ToLowerInvariant(one[0]) + one[1..]));
    }

    [Fact]
    public async Task A_multipart_form_without_its_last_boundary_is_a_problem_of_the_caller()
    {
        await using var host = await StartAsync();
        using var cut = new StringContent("--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nabc");
        cut.Headers.ContentType = MediaTypeHeaderValue.Parse("multipart/form-data; boundary=x");
        using var response = await host.Client.PostAsync("/Transfers/File", cut, Cancel);
        Assert.Equal(["$ body malformed"], (await response.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
    }

    [Fact]
    public async Task A_form_beyond_the_limits_of_the_server_is_a_problem_that_names_them()
    {
        await using var host = await StartAsync(services: static builder => builder.Services.Configure<FormOptions>(static form => form.ValueCountLimit = 1));
        using var form = new MultipartFormDataContent { { new StringContent("1"), "numbers" }, { new StringContent("2"), "numbers" } };
        using var response = await host.Client.PostAsync("/Transfers/File", form, Cancel);
        await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Contains("within the server's FormOptions", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_form_that_a_middleware_has_read_binds_too()
    {
        await using var host = await StartAsync(before: static app => app.Use(static async (http, next) =>
        {
            await http.Request.ReadFormAsync(http.RequestAborted);
            await next(http);
        }));
        using var form = new FormUrlEncodedContent([new("Name", "Ada"), new("Years", "2")]);
        using var response = await host.Client.PostAsync("/Transfers/Apply", form, Cancel);
        Assert.Equal("Ada 2  0001-01-01", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("text/csv", "text/csv", "a,b\n")]
    [InlineData("application/json", "application/json", "[\"YSxiCg==\"]")]
    [InlineData("image/png", "text/csv", "a,b\n")]
    public async Task Bytes_that_have_a_media_type_of_their_own_are_sent_as_it_unless_JSON_is_accepted(string accepted, string expected, string body)
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, "/Transfers/Csv") { Headers = { { "Accept", accepted } } };
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal((expected, body), (response.Content.Headers.ContentType!.MediaType, await response.Content.ReadAsStringAsync(Cancel)));
    }

    [Fact]
    public async Task A_problem_has_no_header_of_the_result_that_failed()
    {
        await using var host = await StartAsync(services: static builder => builder.Services.AddProblemDetails());
        using var response = await host.Client.GetAsync("/Transfers/Misnamed", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.Null(response.Headers.ETag);
    }

    [Fact]
    public async Task What_is_missing_in_a_form_is_named()
    {
        await using var host = await StartAsync();
        using var form = new MultipartFormDataContent { { new StringContent("x"), "numbers" } };
        using var response = await host.Client.PostAsync("/Transfers/File", form, Cancel);
        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(["file form missing", "numbers[0] form invalid", "title form missing"], problem.Errors().Order());

        using var json = await host.Client.PostAsync("/Transfers/File", new StringContent("{}", Encoding.UTF8, "application/json"), Cancel);
        await json.ReadProblemAsync(415, WeirCodes.UnsupportedMediaType);
    }

    private static async Task UploadAsync(string path, long length)
    {
        await using var host = await StartAsync();
        host.Client.Timeout = Timeout.InfiniteTimeSpan;
        await host.Client.PostAsync(path, new StreamContent(new PatternStream(1 << 20)), Cancel);
        using var memory = new PeakMemory();
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new StreamContent(new PatternStream(length)) };
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(length + (path.Contains("abc", StringComparison.Ordinal) ? 3 : 0), long.Parse(await response.Content.ReadAsStringAsync(Cancel), System.Globalization.CultureInfo.InvariantCulture));
        Assert.InRange(memory.Growth, long.MinValue, Bound);
    }

    private static async Task DownloadAsync(string path, long length)
    {
        await using var host = await StartAsync();
        host.Client.Timeout = Timeout.InfiniteTimeSpan;
        await host.Client.GetByteArrayAsync($"{path}?length={1 << 20}", Cancel);
        using var memory = new PeakMemory();
        using var response = await host.Client.GetAsync($"{path}?length={length}", HttpCompletionOption.ResponseHeadersRead, Cancel);
        await using var content = await response.Content.ReadAsStreamAsync(Cancel);
        var buffer = new byte[256 * 1024];
        long received = 0;
        for (int read; (read = await content.ReadAsync(buffer, Cancel)) > 0;)
        {
            received += read;
        }

        Assert.Equal(length, received);
        Assert.InRange(memory.Growth, long.MinValue, Bound);
    }

    private static Task<WeirHost> StartAsync(
        Action<WebApplicationBuilder>? services = null, Action<WebApplication>? before = null) => WeirHost.StartAsync(new WeirHost.Setup
        {
            Services = services,
            Before = before,
            Catalogs = ApplicationCatalog.Catalogs,
            Prefix = null,
            Weir = static options => TestPools.StartOnDemand(options),
            After = static (app, _) => app.MapWeirService<Transfers>(),
        });

    /// <summary>How much the memory of this process grows, at most, while the object lives.</summary>
    private sealed class PeakMemory : IDisposable
    {
        private readonly long _before;
        private readonly Timer _timer;
        private long _peak;

        internal PeakMemory()
        {
            GC.Collect();
            _before = _peak = Environment.WorkingSet;
            _timer = new Timer(_ => Look(), null, 0, 20);
        }

        internal long Growth
        {
            get
            {
                Look();
                return Volatile.Read(ref _peak) - _before;
            }
        }

        public void Dispose() => _timer.Dispose();

        private void Look() => InterlockedMax(Environment.WorkingSet);

        private void InterlockedMax(long value)
        {
            for (var seen = Volatile.Read(ref _peak); value > seen && Interlocked.CompareExchange(ref _peak, value, seen) != seen; seen = Volatile.Read(ref _peak))
            {
            }
        }
    }
}
