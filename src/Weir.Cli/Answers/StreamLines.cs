using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Weir.Cli.Answers;

/// <summary>Reads the lines of a stream as they come, up to a length.</summary>
internal static class StreamLines
{
    private const int FirstLength = 16 * 1024;

    /// <summary>Whether an answer of this type proves by its last line that it is complete.</summary>
    public static bool IsProved(MediaTypeHeaderValue? type) => type is { MediaType: "application/x-ndjson" } && type.Parameters.Any(static one => one is { Name: "weir", Value: "1" });

    /// <summary>The lines without their ends; empty ones, which are heartbeats, are left out. A last line without an end is none: it may be cut.</summary>
    /// <param name="body">Read once.</param>
    /// <param name="most">The most bytes of a line.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="JsonException">A line is longer.</exception>
    /// <exception cref="IOException">The connection failed.</exception>
    public static async IAsyncEnumerable<ReadOnlyMemory<byte>> ReadAsync(Stream body, int most, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var buffer = new byte[FirstLength];
        var (start, end) = (0, 0);
        while (true)
        {
            var searched = start;
            while (buffer.AsSpan(searched, end - searched).IndexOf((byte)'\n') is >= 0 and var found)
            {
                var line = Trimmed(buffer.AsMemory(start, searched + found - start));
                Check(line.Length, most);
                start = searched = searched + found + 1;
                if (!line.IsEmpty)
                {
                    yield return line;
                }
            }

            Check(end - start, most);
            if (start > 0)
            {
                buffer.AsSpan(start, end - start).CopyTo(buffer);
                (start, end) = (0, end - start);
            }
            else if (end == buffer.Length)
            {
                Array.Resize(ref buffer, (int)Math.Min(buffer.Length * 2L, Array.MaxLength));
            }

            if (await body.ReadAsync(buffer.AsMemory(end), cancellationToken) is not (> 0 and var count))
            {
                yield break;
            }

            end += count;
        }
    }

    private static ReadOnlyMemory<byte> Trimmed(ReadOnlyMemory<byte> line)
    {
        while (line is { IsEmpty: false } && line.Span[^1] is (byte)'\r' or (byte)' ' or (byte)'\t')
        {
            line = line[..^1];
        }

        return line;
    }

    private static void Check(int length, int most)
    {
        if (length > most)
        {
            throw new JsonException($"it has more than {most} bytes, the limit of --max-bytes");
        }
    }
}
