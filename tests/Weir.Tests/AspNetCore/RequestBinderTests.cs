using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

public sealed class RequestBinderTests
{
    private static readonly Parameter Value = new("x", "string", ParameterSource.Value, false);
    private static readonly Parameter Whole = new("x", "Order", ParameterSource.Body, false);
    private static readonly Parameter Raw = new("x", "bytes", ParameterSource.Raw, false);

    public static TheoryData<string?, int> MediaTypes => new()
    {
        { "application/json", 1 },
        { "Application/JSON; charset=UTF-8", 1 },
        { "application/json;charset=\"utf-8\"", 1 },
        { "application/json; charset=utf8; v=1", 1 },
        { "application/problem+json", 1 },
        { "application/json; charset=utf-16", 0 },
        { "application/json; charset=iso-8859-1", 0 },
        { "application/jsonp", 0 },
        { "+json", 0 },
        { "application/x-www-form-urlencoded", 2 },
        { "Application/X-WWW-Form-Urlencoded; charset=iso-8859-1", 2 },
        { "application/x-ndjson", 3 },
        { "application/NDJSON; charset=utf-8", 3 },
        { "application/x-ndjson; charset=iso-8859-1", 0 },
        { "Multipart/Form-Data; boundary=x", 4 },
        { "multipart/mixed; boundary=x", 0 },
        { "text/plain", 0 },
        { "", 0 },
        { null, 0 },
    };

    [Theory]
    [MemberData(nameof(MediaTypes))]
    public void The_media_type_decides_how_a_body_is_read(string? contentType, int form) => Assert.Equal((BodyForm)form, BodyForms.Of(contentType));

    [Theory]
    [InlineData("application/json", "{\"x\":\"a\"}", "a")]
    [InlineData("application/json", "\uFEFF{\"x\":\"a\"}", "a")]
    [InlineData("application/x-www-form-urlencoded", "x=%C3%BC+a", "ü a")]
    [InlineData("application/x-www-form-urlencoded", "x=ü", "ü")]
    [InlineData("application/json", "", "x missing")]
    [InlineData("text/xml", "", "x missing")]
    [InlineData("text/xml", "<x/>", "415")]
    [InlineData("multipart/form-data", "--", "415")]
    public async Task A_body_of_values_is_json_or_a_form(string contentType, string body, string outcome) =>
        Assert.Equal(outcome, await BindAsync(Value, contentType, Encoding.UTF8.GetBytes(body)));

    [Theory]
    [InlineData("application/json")]
    [InlineData("application/x-www-form-urlencoded")]
    public async Task A_body_that_is_not_utf_8_is_malformed_and_has_no_other_error(string contentType) =>
        Assert.Equal("$ malformed", await BindAsync(Value, contentType, [(byte)'{', (byte)'"', 0xFF, (byte)'"', (byte)':', (byte)'1', (byte)'}']));

    [Theory]
    [InlineData("application/json", " {\"a\":1}\n", "{\"a\":1}")]
    [InlineData("application/json", "null", "null")]
    [InlineData("application/x-www-form-urlencoded", "x=1", "415")]
    public async Task A_body_that_is_one_parameter_is_json(string contentType, string body, string outcome) =>
        Assert.Equal(outcome, await BindAsync(Whole, contentType, Encoding.UTF8.GetBytes(body)));

    [Theory]
    [InlineData("image/png")]
    [InlineData("application/json")]
    [InlineData("application/x-www-form-urlencoded")]
    [InlineData(null)]
    public async Task A_raw_body_may_have_any_media_type(string? contentType) => Assert.Equal("x=1", await BindAsync(Raw, contentType, "x=1"u8.ToArray()));

    [Theory]
    [InlineData("--x", "415")]
    [InlineData("", "")]
    public async Task A_raw_body_is_not_the_parts_of_a_form(string body, string outcome) =>
        Assert.Equal(outcome, await BindAsync(Raw, "multipart/form-data; boundary=x", Encoding.UTF8.GetBytes(body)));

    [Fact]
    public void Buffers_of_a_large_request_are_not_kept()
    {
        var buffers = new CallBuffers();
        buffers.Body.Write(new byte[100]);
        buffers.Clear();
        Assert.Equal(0, buffers.Body.Length);
        Assert.True(buffers.Body.GetMemory().Length >= 100);
        buffers.Body.Write(new byte[100_000]);
        buffers.Clear();
        Assert.InRange(buffers.Body.GetMemory().Length, 1, 99_999);
    }

    [Fact]
    public void A_body_that_was_lent_to_a_failed_operation_is_not_reused()
    {
        var buffers = new CallBuffers();
        buffers.Abandon();
        Assert.False(buffers.IsAbandoned);
        buffers.LendBody();
        Assert.False(buffers.IsAbandoned);
        buffers.Abandon();
        Assert.True(buffers.IsAbandoned);
    }

    [Theory]
    [InlineData(1 << 20)]
    [InlineData((1 << 20) + 1)]
    [InlineData((3 << 20) + 12345)]
    public async Task A_large_body_becomes_one_array_of_its_size(int length)
    {
        var body = new byte[length];
        new Random(length).NextBytes(body);
        var http = new DefaultHttpContext();
        using var stream = new MemoryStream(body);
        http.Request.Body = stream;
        using var into = new PayloadWriter();
        await RequestBody.ReadAsync(http.Request, into);
        Assert.True(body.AsSpan().SequenceEqual(into.WrittenSpan));
        Assert.Equal(length, into.Capacity);
    }

    [Theory]
    [InlineData(50_000_000L, 100, false)]
    [InlineData(50_000_000L, 70_000, true)]
    [InlineData(50_000_000L, 900_000, true)]
    [InlineData(null, 900_000, true)]
    [InlineData(null, 60_000, false)]
    [InlineData(900_000L, 800_000, false)]
    public async Task A_large_body_allocates_no_array_before_it_is_complete(long? announced, int received, bool isStaged)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0, readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, useSynchronizationContext: false));
        var http = new DefaultHttpContext();
        http.Features.Set<IRequestBodyPipeFeature>(new BodyOf(pipe.Reader));
        http.Request.ContentLength = announced;
        using var source = new CancellationTokenSource();
        http.RequestAborted = source.Token;
        using var into = new PayloadWriter();
        var reading = RequestBody.ReadAsync(http.Request, into).AsTask();
        await pipe.Writer.WriteAsync(new byte[received], TestContext.Current.CancellationToken);
        Assert.Equal(isStaged, into.Capacity == 0);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);
        Assert.Equal(isStaged, into.Capacity == 0);
    }

    private static async Task<string> BindAsync(Parameter parameter, string? contentType, byte[] body)
    {
        var operation = new Operation { Name = "A", Verbs = Verbs.Post, Parameters = [parameter], Signature = 1, CreateCall = static _ => throw new NotSupportedException() };
        var http = new DefaultHttpContext();
        using var stream = new MemoryStream(body);
        http.Request.Body = stream;
        http.Request.ContentType = contentType;
        var binder = new RequestBinder(operation);
        var buffers = new CallBuffers();
        var reader = buffers.Arguments;
        reader.Start("", refuseUnknown: false);
        if (await binder.ReadAsync(http.Request, buffers) is { } problem)
        {
            return $"{problem.Status}";
        }

        binder.AddRaw(http.Request, buffers);
        var seen = 0UL;
        var value = "";
        while (reader.MoveNext())
        {
            Assert.True(reader.Begin(ref seen, 0, "x"));
            value = reader.Form switch
            {
                ArgumentForm.Raw => Encoding.UTF8.GetString(reader.ReadBytes().Span),
                _ when parameter == Whole => reader.ReadJson(static (ref Utf8JsonReader json, BindingErrorList _) => JsonDocument.ParseValue(ref json).RootElement.GetRawText()),
                _ => reader.Read(Scalars.String),
            };
            reader.End(ref seen, 0, optional: false);
        }

        if (seen == 0)
        {
            reader.Missing("x", "text");
        }

        return reader.Errors.Count == 0 ? value : string.Join("; ", reader.Errors.ToArray().Select(static fault => $"{fault.Name} {fault.Reason}"));
    }

    private sealed class BodyOf(PipeReader reader) : IRequestBodyPipeFeature
    {
        public PipeReader Reader => reader;
    }
}
