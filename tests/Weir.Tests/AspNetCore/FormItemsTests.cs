using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.RequestStreams;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

/// <summary>A multipart form that is parsed while it arrives.</summary>
public sealed class FormItemsTests
{
    private const string Title = "Content-Disposition: form-data; name=\"title\"\r\n\r\nHärte";
    private const string Page = "Content-Disposition: form-data; name=page\r\n\r\n1";
    private const string Scan = "Content-Disposition: form-data; name=\"scan\"; filename=\"a.tif\"\r\nContent-Type: image/tiff\r\nX-Own: 1\r\n\r\nabc";
    private const string Other = "Content-Disposition: form-data; name=other; filename=o\r\n\r\nno";
    private const string NotChosen = "Content-Disposition: form-data; name=scan; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(100_000)]
    public async Task Fields_come_first_then_the_file(int pieceSize)
    {
        var items = Open(Form(Title, Page, Page, Scan), pieceSize: pieceSize);
        var fields = await items.ReadFieldsAsync(Cancel);
        Assert.Equal(("Härte", "1,1", 2), (fields["title"].ToString(), fields["page"].ToString(), fields.Count));
        Assert.Equal(
            ["""{"name":"scan","fileName":"a.tif","contentType":"image/tiff","headers":{"Content-Disposition":"form-data; name=\"scan\"; filename=\"a.tif\"","Content-Type":"image/tiff","X-Own":"1"}}""", "abc"],
            await ReadAsync(items));
    }

    [Fact]
    public async Task Nothing_is_read_of_a_file_before_it_is_requested()
    {
        var body = new Body(Form(Scan + new string('x', 1_000_000)), 1000);
        var items = Open(body, new FormOptions());
        await items.ReadFieldsAsync(Cancel);
        Assert.True(await items.MoveNextAsync(Cancel));
        Assert.InRange(body.Position, 1, FormItems.BufferSize);
    }

    [Fact]
    public async Task Files_of_other_names_and_unknown_fields_are_passed_over()
    {
        var items = Open(Form(Title, Other, Scan, "Content-Disposition: form-data; name=unknown\r\n\r\n1", Other, NotChosen));
        Assert.Equal("Härte", (await items.ReadFieldsAsync(Cancel))["title"]);
        Assert.Equal(["a.tif", "abc"], await NamesAsync(items));
    }

    [Fact]
    public async Task A_file_that_was_not_chosen_is_none()
    {
        var items = Open(Form(NotChosen, Title));
        Assert.Equal(["title"], (await items.ReadFieldsAsync(Cancel)).Keys);
        Assert.Empty(await ReadAsync(items));
    }

    [Fact]
    public async Task Several_files_come_in_their_order()
    {
        var items = Open(Form(Scan, Other, Scan + new string('d', 65_536)), isList: true);
        await items.ReadFieldsAsync(Cancel);
        var read = await NamesAsync(items);
        Assert.Equal(("a.tif", "abc", "a.tif"), (read[0], read[1], read[2]));
        Assert.Equal(65_539, read[3..].Sum(static one => one.Length));
    }

    [Fact]
    public async Task A_second_file_for_one_is_a_duplicate() => Assert.Equal("scan duplicate one file", await FailAsync(Form(Scan, Scan)));

    [Fact]
    public async Task A_field_after_the_files_is_too_late() =>
        Assert.Equal("title malformed its field before the files: send the fields of a form before its files", await FailAsync(Form(Scan, Title)));

    [Fact]
    public async Task An_unknown_field_after_the_files_is_refused_where_the_option_says_so() =>
        Assert.Equal("x unknown no argument of this name", await FailAsync(Form(Scan, "Content-Disposition: form-data; name=x\r\n\r\n1"), refuseUnknown: true));

    [Fact]
    public async Task A_form_that_is_cut_anywhere_is_never_complete()
    {
        var whole = Form(Title, Scan, Other, Scan);
        for (var length = 0; length < whole.Length - 4; length++)
        {
            var items = Open(whole[..length], isList: true);
            var failure = await Record.ExceptionAsync(async () =>
            {
                await items.ReadFieldsAsync(Cancel);
                await ReadAsync(items);
            });
            Assert.True(failure is BindingException { Errors: [{ Reason: "malformed" }] } or IOException or InvalidDataException, $"{length}: {failure}");
        }
    }

    [Theory]
    [InlineData("values")]
    [InlineData("value")]
    [InlineData("key")]
    [InlineData("headers")]
    [InlineData("header")]
    [InlineData("body")]
    public async Task The_applications_limits_hold(string limit)
    {
        var limits = limit switch
        {
            "values" => new FormOptions { ValueCountLimit = 1 },
            "value" => new FormOptions { ValueLengthLimit = 5 },
            "key" => new FormOptions { KeyLengthLimit = 4 },
            "headers" => new FormOptions { MultipartHeadersCountLimit = 2 },
            "header" => new FormOptions { MultipartHeadersLengthLimit = 60 },
            _ => new FormOptions { MultipartBodyLengthLimit = 6 },
        };
        var items = Open(new Body(Form(Title, Page, Scan + "defg"), 10), limits);
        var failure = await Record.ExceptionAsync(async () =>
        {
            await items.ReadFieldsAsync(Cancel);
            await ReadAsync(items);
        });
        Assert.True(failure is InvalidDataException or BindingException { Errors: [{ Reason: "malformed" }] }, failure?.ToString());
    }

    [Theory]
    [InlineData("multipart/form-data")]
    [InlineData("multipart/form-data; boundary=\"\"")]
    [InlineData("multipart/form-data; boundary=0123456789")]
    public void A_boundary_is_needed_and_limited(string contentType) =>
        Assert.Throws<InvalidDataException>(() => FormItems.Open(contentType, Stream.Null, new FormOptions { MultipartBoundaryLengthLimit = 9 }));

    private static string Form(params string[] parts) => string.Concat(parts.Select(static part => $"--bound\r\n{part}\r\n")) + "--bound--\r\n";

    private static FormItems Open(string body, bool isList = false, bool refuseUnknown = false, int pieceSize = 1000) =>
        Open(new Body(body, pieceSize), new FormOptions(), isList, refuseUnknown);

    private static FormItems Open(Stream body, FormOptions limits, bool isList = false, bool refuseUnknown = false) =>
        new(FormItems.Open("multipart/form-data; boundary=\"bound\"", body, limits), limits, Operation(isList), refuseUnknown);

    private static Operation Operation(bool isList) => new()
    {
        Name = "Scan",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Signature = 0,
        CreateCall = static _ => throw new NotSupportedException(),
        Parameters =
        [
            new("title", "string", ParameterSource.Form, false),
            new("scan", "IFormFile", ParameterSource.File, false) { Type = isList ? static () => typeof(IReadOnlyList<IFormFile>) : static () => typeof(IFormFile) },
        ],
    };

    private static async Task<List<string>> ReadAsync(FormItems items)
    {
        var read = new List<string>();
        while (await items.MoveNextAsync(Cancel))
        {
            Assert.Equal(items.CurrentEncoding == ResultEncoding.Json, items.Current.Span.StartsWith("{"u8));
            read.Add(Encoding.UTF8.GetString(items.Current.Span));
            items.Release();
        }

        return read;
    }

    private static async Task<List<string>> NamesAsync(FormItems items) =>
        [.. (await ReadAsync(items)).Select(static one => one.StartsWith('{') ? one.Split("fileName\":\"")[1].Split('"')[0] : one)];

    private static async Task<string> FailAsync(string body, bool refuseUnknown = false)
    {
        var items = Open(body, refuseUnknown: refuseUnknown);
        await items.ReadFieldsAsync(Cancel);
        var error = Assert.Single((await Assert.ThrowsAsync<BindingException>(() => ReadAsync(items))).Errors);
        Assert.Equal("form", error.Source);
        return $"{error.Name} {error.Reason} {error.Expected}";
    }

    // Gives out small pieces, whatever is requested.
    private sealed class Body(string text, int pieceSize) : MemoryStream(Encoding.UTF8.GetBytes(text))
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            base.ReadAsync(buffer[..Math.Min(buffer.Length, pieceSize)], cancellationToken);
    }
}
