using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Weir.Cli.Fetch;

/// <summary>
/// One JSON object a line. A line that comes after a pause is written at once; lines in quick succession are written together, by the next one or by
/// <see cref="Flush"/>, whichever is first. Under the lock of the report.
/// </summary>
internal sealed class JsonLines(Stream output, TimeProvider time) : IDisposable
{
    private const int MostBytes = 32_768;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    private readonly ArrayBufferWriter<byte> _buffer = new(2 * MostBytes);
    private readonly Utf8JsonWriter _json = new(Stream.Null, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
    private long? _writtenAt;

    /// <summary>One object.</summary>
    /// <exception cref="IOException">The reader of the output has gone.</exception>
    public void Write(in FetchOutcome outcome)
    {
        _json.Reset(_buffer);
        _json.WriteStartObject();
        _json.WriteNumber("index", outcome.Index);
        _json.WriteString("url", outcome.Text);
        Number("status", outcome.Status);
        _json.WriteNumber("bytes", outcome.Bytes);
        if (outcome.Timing is { } timing)
        {
            _json.WriteStartObject("times");
            Number("queued", timing.Queued);
            Number("firstByte", timing.FirstByte);
            Number("total", timing.Total);
            _json.WriteEndObject();
        }
        else
        {
            _json.WriteNull("times");
        }

        if (outcome.File is not null)
        {
            _json.WriteString("file", outcome.File);
        }

        _json.WriteString("error", outcome.Error);
        _json.WriteEndObject();
        _json.Flush();
        _buffer.Write("\n"u8);
        if (_buffer.WrittenCount >= MostBytes || _writtenAt is not { } written || time.GetElapsedTime(written) >= Pause)
        {
            Flush();
        }
    }

    /// <summary>Writes the lines that wait.</summary>
    /// <exception cref="IOException">The reader of the output has gone.</exception>
    public void Flush()
    {
        if (_buffer.WrittenCount > 0)
        {
            output.Write(_buffer.WrittenSpan);
            output.Flush();
            _buffer.ResetWrittenCount();
            _writtenAt = time.GetTimestamp();
        }
    }

    public void Dispose() => _json.Dispose();

    private void Number(string name, int? value)
    {
        if (value is { } number)
        {
            _json.WriteNumber(name, number);
        }
        else
        {
            _json.WriteNull(name);
        }
    }

    private void Number(string name, TimeSpan? value)
    {
        if (value is { } duration)
        {
            _json.WriteNumber(name, Math.Round(duration.TotalMilliseconds, 3));
        }
        else
        {
            _json.WriteNull(name);
        }
    }
}
