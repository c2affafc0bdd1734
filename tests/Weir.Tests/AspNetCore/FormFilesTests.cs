using System.Text;
using Microsoft.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

/// <summary>Files as an operation in a worker gets them, and as they are sent there.</summary>
public sealed class FormFilesTests
{
    private const string A = """{"name":"scan","fileName":"a.tif","contentType":"image/tiff","length":4,"headers":{"Content-Type":"image/tiff","X-Page":"1, 2"}}""";
    private const string B = """{"name":"scan","fileName":"b.tif"}""";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_file_has_what_its_descriptor_says_and_its_bytes()
    {
        var items = new ScriptedFiles(A, "ab", "cd");
        var file = await FormFiles.ReceiveAsync(items, "scan", Cancel);
        Assert.Equal(("scan", "a.tif", "image/tiff", 4L), (file.Name, file.FileName, file.ContentType, file.Length));
        Assert.Equal("1, 2", file.Headers["x-page"]);
        Assert.Equal("abcd", await ReadAsync(file));
        Assert.Throws<InvalidOperationException>(file.OpenReadStream);
        Assert.Equal(0, items.Stopped);
    }

    [Fact]
    public async Task What_a_descriptor_does_not_say_is_not_invented()
    {
        var file = await FormFiles.ReceiveAsync(new ScriptedFiles(B), "scan", Cancel);
        Assert.Equal(("", ""), (file.ContentType, file.ContentDisposition));
        Assert.Throws<NotSupportedException>(() => file.Length);
        using var copy = new MemoryStream();
        file.CopyTo(copy);
        Assert.Equal(0, copy.Length);
    }

    [Fact]
    public async Task No_file_is_null_or_missing()
    {
        Assert.Null(await FormFiles.ReceiveOrNullAsync(new ScriptedFiles(), "scan", Cancel));
        var missing = await Assert.ThrowsAsync<BindingException>(() => FormFiles.ReceiveAsync(new ScriptedFiles(), "scan", Cancel).AsTask());
        Assert.Equal(new BindingError("scan", "form", "missing", "a file of a multipart form"), Assert.Single(missing.Errors));
        Assert.Empty(FormFiles.ReceiveList(new ScriptedFiles(), "scan"));
    }

    [Fact]
    public async Task A_file_that_is_cut_fails_every_read()
    {
        var file = await FormFiles.ReceiveAsync(new ScriptedFiles(A, "ab") { Failure = new IOException("cut") }, "scan", Cancel);
        using var content = file.OpenReadStream();
        await content.ReadExactlyAsync(new byte[2], Cancel);
        for (var i = 0; i < 2; i++)
        {
            Assert.Equal("cut", (await Assert.ThrowsAsync<IOException>(() => content.ReadAsync(new byte[1], Cancel).AsTask())).Message);
        }
    }

    [Fact]
    public async Task A_second_file_where_one_is_expected_fails_before_the_first_looks_complete()
    {
        var file = await FormFiles.ReceiveAsync(new ScriptedFiles(A, "ab", B, "x"), "scan", Cancel);
        var second = await Assert.ThrowsAsync<BindingException>(() => ReadAsync(file));
        Assert.Equal("duplicate", Assert.Single(second.Errors).Reason);
    }

    [Fact]
    public async Task A_file_that_is_not_read_to_its_end_stops_the_sender()
    {
        var items = new ScriptedFiles(A, "ab", "cd");
        var file = await FormFiles.ReceiveAsync(items, "scan", Cancel);
        using (var content = file.OpenReadStream())
        {
            Assert.Equal('a', content.ReadByte());
        }

        Assert.Equal((1, 2), (items.Stopped, items.Released));
    }

    [Fact]
    public async Task Files_come_one_after_the_other()
    {
        var files = FormFiles.ReceiveList(new ScriptedFiles(A, "ab", B, "x", "y", A), "scan");
        Assert.Throws<NotSupportedException>(() => files.Count);
        Assert.Throws<NotSupportedException>(() => files[0]);
        var read = new List<string>();
        foreach (var file in files)
        {
            read.Add(file.FileName + " " + await ReadAsync(file));
        }

        Assert.Equal(["a.tif ab", "b.tif xy", "a.tif "], read);
        Assert.Equal((3, "b.tif"), (files.Count, files[1].FileName));
        Assert.Throws<InvalidOperationException>(files.GetEnumerator);
    }

    [Fact]
    public async Task The_unread_rest_of_a_file_is_dropped_and_never_read_as_the_next_one()
    {
        var files = FormFiles.ReceiveList(new ScriptedFiles(A, "ab", "cd", B, "x", A, "z"), "scan").GetEnumerator();
        Assert.True(files.MoveNext());
        var first = files.Current.OpenReadStream();
        Assert.Equal('a', first.ReadByte());
        Assert.Equal('b', first.ReadByte());
        Assert.True(files.MoveNext());
        Assert.Throws<InvalidOperationException>(() => first.ReadByte());
        Assert.True(files.MoveNext());
        Assert.Equal("z", await ReadAsync(files.Current));
        Assert.False(files.MoveNext());
        files.Dispose();
    }

    [Fact]
    public void Files_that_are_cut_do_not_end()
    {
        var files = FormFiles.ReceiveList(new ScriptedFiles(A, "ab") { Failure = new IOException("cut") }, "scan").GetEnumerator();
        Assert.True(files.MoveNext());
        Assert.Throws<IOException>(() => files.MoveNext());
        files.Dispose();
    }

    [Theory]
    [InlineData("bytes")]
    [InlineData("{")]
    [InlineData("""{"name":1}""")]
    public async Task What_is_no_descriptor_is_refused(string first) =>
        await Assert.ThrowsAsync<InvalidDataException>(() => FormFiles.ReceiveAsync(new ScriptedFiles(first), "scan", Cancel).AsTask());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_of_code_is_sent_with_all_it_says(bool hasHeaders)
    {
        var file = new FormFile(new MemoryStream(new byte[70_000]), 0, 70_000, "scan", "a.tif");
        if (hasHeaders)
        {
            file.Headers = new HeaderDictionary { ["Content-Type"] = "image/tiff" };
        }

        var sent = await SendAsync(FormFiles.Send(file, Cancel));
        Assert.Equal(
            hasHeaders ? """{"name":"scan","fileName":"a.tif","contentType":"image/tiff","length":70000,"headers":{"Content-Type":"image/tiff"}}""" : """{"name":"scan","fileName":"a.tif","length":70000}""",
            sent[0]);
        Assert.Equal([65_536, 4464], sent[1..].Select(static one => one.Length));
    }

    [Fact]
    public async Task A_file_whose_length_is_wrong_is_not_sent_as_complete()
    {
        var file = new FormFile(new MemoryStream(new byte[10]), 0, 11, "scan", "a.tif");
        await Assert.ThrowsAsync<InvalidOperationException>(() => SendAsync(FormFiles.Send(file, Cancel)));
    }

    [Fact]
    public async Task Files_are_forwarded_as_they_arrive()
    {
        var items = new ScriptedFiles(B, "ab", B, B, "x");
        Assert.Equal([B, "ab", B, B, "x"], await SendAsync(FormFiles.Send(FormFiles.ReceiveList(items, "scan"), Cancel)));
        Assert.Equal([B, "ab", "c"], await SendAsync(FormFiles.Send(await FormFiles.ReceiveAsync(new ScriptedFiles(B, "ab", "c"), "scan", Cancel), Cancel)));
        Assert.Empty(await SendAsync(FormFiles.Send((IFormFile?)null, Cancel)));
        Assert.Empty(await SendAsync(FormFiles.Send((IReadOnlyList<IFormFile>?)null, Cancel)));
    }

    [Fact]
    public async Task A_forwarded_file_that_is_cut_or_followed_by_another_fails()
    {
        var cut = await FormFiles.ReceiveAsync(new ScriptedFiles(B, "ab") { Failure = new IOException("cut") }, "scan", Cancel);
        await Assert.ThrowsAsync<IOException>(() => SendAsync(FormFiles.Send(cut, Cancel)));
        var second = await FormFiles.ReceiveAsync(new ScriptedFiles(B, "ab", B), "scan", Cancel);
        await Assert.ThrowsAsync<BindingException>(() => SendAsync(FormFiles.Send(second, Cancel)));
    }

    private static async Task<string> ReadAsync(IFormFile file)
    {
        using var copy = new MemoryStream();
        await file.CopyToAsync(copy, Cancel);
        return Encoding.UTF8.GetString(copy.ToArray());
    }

    private static async Task<List<string>> SendAsync(ItemSource source)
    {
        await using var items = source;
        using var item = new PayloadWriter();
        var sent = new List<string>();
        while (await items.MoveNextAsync())
        {
            item.Clear();
            items.WriteCurrent(item);
            sent.Add(Encoding.UTF8.GetString(item.WrittenSpan));
            Assert.Equal(sent[^1].StartsWith('{'), items.CurrentEncoding == ResultEncoding.Json);
        }

        return sent;
    }
}
