using System.Buffers;
using System.Globalization;
using System.Text;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Load;

/// <summary>One upload and where it is cut; all follows from its number.</summary>
/// <param name="Number">Which one.</param>
/// <param name="Kind">What is sent, and how it is cut.</param>
/// <param name="Lengths">Of its contents, in bytes.</param>
/// <param name="Place">Where it is cut: a part of what would be sent behind the head.</param>
internal sealed record Upload(long Number, UploadKind Kind, IReadOnlyList<long> Lengths, double Place)
{
    private const int MostBytes = 1_000_000;
    private const int MostFiles = 3;
    private const int MostChunk = 100_000;
    private const int WholeEvery = 20;
    private const int AtOnceEvery = 4;
    private const string Boundary = "lab-boundary-7f3a";
    private const string OfBytes = "application/octet-stream";

    // Without these two a form has no end.
    private const string FormEnd = "--";

    private static readonly UploadKind[] Kinds =
    [
        new(UploadBody.Sized, UploadEnding.Resets),
        new(UploadBody.Sized, UploadEnding.Closes),
        new(UploadBody.Chunked, UploadEnding.Resets),
        new(UploadBody.Chunked, UploadEnding.Closes),
        new(UploadBody.Form, UploadEnding.Resets),
        new(UploadBody.Form, UploadEnding.Closes),
        new(UploadBody.Form, UploadEnding.Truncates),
    ];

    public bool IsWhole => Kind.Ending == UploadEnding.Whole;

    /// <summary>Whether its caller waits with the cut until an operation reads it. Otherwise most are gone before one has begun.</summary>
    public bool IsCutWhileRead => Kind.Ending is UploadEnding.Resets or UploadEnding.Closes && Number % AtOnceEvery != 0;

    /// <summary>The same in every run.</summary>
    /// <param name="number">Which one.</param>
    /// <param name="seed">Of the run.</param>
    public static Upload Of(long number, int seed)
    {
        var random = new Random(HashCode(number, seed));
        var kind = Kinds[number % Kinds.Length];
        if (number % WholeEvery == 0)
            kind = kind with { Ending = UploadEnding.Whole };
        var files = kind.Body == UploadBody.Form ? random.Next(1, MostFiles + 1) : 1;
        return new Upload(number, kind, [.. Enumerable.Range(0, files).Select(_ => (long)random.Next(1, MostBytes))], random.NextDouble());
    }

    /// <summary>Writes what the caller sends before it does as <see cref="UploadKind.Ending"/> says.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="service">The service that takes it.</param>
    /// <param name="folder">Where its operations write down what they took.</param>
    public void Write(ArrayBufferWriter<byte> output, string service, string folder)
    {
        var body = new ArrayBufferWriter<byte>((int)Lengths.Sum() + 4096);
        WriteBody(body, folder);
        var tail = Kind.Body == UploadBody.Form ? FormEnd.Length + 2 : 0;
        var sent = IsWhole ? body.WrittenCount : (int)(Place * (body.WrittenCount - tail));
        var said = Kind.Ending == UploadEnding.Truncates ? sent : body.WrittenCount;
        var path = Kind.Body == UploadBody.Form
            ? $"/{service}/TakeFiles"
            : string.Create(CultureInfo.InvariantCulture, $"/{service}/Take?folder={Uri.EscapeDataString(folder)}&upload={Number}");
        var type = Kind.Body == UploadBody.Form ? $"multipart/form-data; boundary={Boundary}" : OfBytes;
        var length = Kind.Body == UploadBody.Chunked ? "Transfer-Encoding: chunked" : string.Create(CultureInfo.InvariantCulture, $"Content-Length: {said}");
        Text(output, $"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {type}\r\n{length}\r\n\r\n");
        output.Write(body.WrittenSpan[..sent]);
    }

    private void WriteBody(ArrayBufferWriter<byte> body, string folder)
    {
        switch (Kind.Body)
        {
            case UploadBody.Sized:
                Content(body, 0, Lengths[0]);
                break;
            case UploadBody.Chunked:
                for (var position = 0L; position < Lengths[0]; position += MostChunk)
                {
                    var length = Math.Min(MostChunk, Lengths[0] - position);
                    Text(body, string.Create(CultureInfo.InvariantCulture, $"{length:x}\r\n"));
                    Content(body, position, length);
                    Text(body, "\r\n");
                }

                Text(body, "0\r\n\r\n");
                break;
            case UploadBody.Form:
                Field(body, "folder", folder);
                Field(body, "upload", Number.ToString(CultureInfo.InvariantCulture));
                foreach (var length in Lengths)
                {
                    Text(body, $"--{Boundary}\r\nContent-Disposition: form-data; name=\"files\"; filename=\"scan.bin\"\r\nContent-Type: {OfBytes}\r\n\r\n");
                    Content(body, 0, length);
                    Text(body, "\r\n");
                }

                Text(body, $"--{Boundary}{FormEnd}\r\n");
                break;
        }
    }

    private static void Field(ArrayBufferWriter<byte> body, string name, string value) => Text(body, $"--{Boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");

    private static void Text(ArrayBufferWriter<byte> output, string text) => Encoding.ASCII.GetBytes(text, output);

    private static void Content(ArrayBufferWriter<byte> output, long position, long length)
    {
        for (var end = position + length; position < end;)
        {
            var piece = GeneratedContent.Piece(position, end - position).Span;
            output.Write(piece);
            position += piece.Length;
        }
    }

    // The framework's own differs between processes.
    private static int HashCode(long number, int seed) => (int)((number * 2_654_435_761) ^ seed);
}
