using System.Buffers;
using System.Text;
using Weir.Lab.Load;

namespace Weir.Lab.Tests.Load;

public sealed class UploadTests
{
    private const int Seed = 7;
    private const int Count = 2_000;

    private static readonly Upload[] Uploads = [.. Enumerable.Range(0, Count).Select(static number => Upload.Of(number, Seed))];

    [Fact]
    public void Every_run_has_the_same_uploads()
    {
        Assert.Equal(Uploads.Select(static upload => upload.Place), Enumerable.Range(0, Count).Select(static number => Upload.Of(number, Seed).Place));
        Assert.Equal(Uploads.SelectMany(static upload => upload.Lengths), Enumerable.Range(0, Count).SelectMany(static number => Upload.Of(number, Seed).Lengths));
    }

    [Fact]
    public void Every_body_is_cut_in_every_way_and_is_whole_at_times()
    {
        foreach (var body in Enum.GetValues<UploadBody>())
        {
            var endings = Uploads.Where(upload => upload.Kind.Body == body).Select(static upload => upload.Kind.Ending).Distinct().ToHashSet();
            Assert.Superset(new HashSet<UploadEnding> { UploadEnding.Resets, UploadEnding.Closes, UploadEnding.Whole }, endings);
            Assert.Equal(body == UploadBody.Form, endings.Contains(UploadEnding.Truncates));
        }

        Assert.Equal(Count / 20, Uploads.Count(static upload => upload.IsWhole));
    }

    [Theory]
    [InlineData(nameof(UploadBody.Sized), "")]
    [InlineData(nameof(UploadBody.Chunked), "\r\n0\r\n\r\n")]
    [InlineData(nameof(UploadBody.Form), "-7f3a--\r\n")]
    public void What_is_cut_lacks_its_end_wherever_it_is_cut(string body, string end)
    {
        var upload = Uploads.First(upload => upload.Kind.Body == Enum.Parse<UploadBody>(body) && upload.IsWhole);
        var whole = Written(upload);
        Assert.EndsWith(end, whole, StringComparison.Ordinal);

        // A form without the line's end behind its last delimiter is one.
        var least = body == nameof(UploadBody.Form) ? "--\r\n".Length : 0;
        foreach (var place in new[] { 0, 0.5, 0.999_999_999 })
        {
            var cut = Written(upload with { Kind = upload.Kind with { Ending = UploadEnding.Closes }, Place = place });
            Assert.True(cut.Length < whole.Length - least);
            Assert.StartsWith(cut, whole, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_truncated_form_is_a_request_of_its_length()
    {
        var written = Written(Uploads.First(static upload => upload.Kind.Ending == UploadEnding.Truncates));
        var head = written.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4;
        Assert.Contains(FormattableString.Invariant($"Content-Length: {written.Length - head}\r\n"), written[..head], StringComparison.Ordinal);
    }

    private static string Written(Upload upload)
    {
        var output = new ArrayBufferWriter<byte>();
        upload.Write(output, "Service", "/folder");
        return Encoding.Latin1.GetString(output.WrittenSpan);
    }
}
