using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Text;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>Reads lines of text as they come, without reading ahead of what the stream has.</summary>
internal static class LineReader
{
    private const int MostBytes = 65_536;

    /// <param name="stream">UTF-8.</param>
    /// <param name="name">What messages call it.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="InputException">A line is too long, or the stream cannot be read.</exception>
    public static async IAsyncEnumerable<string> ReadAsync(Stream stream, string name, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var reader = PipeReader.Create(stream, new StreamPipeReaderOptions(leaveOpen: true));
        var number = 0L;
        try
        {
            while (true)
            {
                var read = await FillAsync(reader, name, cancellationToken);
                var rest = read.Buffer;
                while (rest.PositionOf((byte)'\n') is { } end)
                {
                    number++;
                    yield return Text(rest.Slice(0, end), name, number);
                    rest = rest.Slice(rest.GetPosition(1, end));
                }

                if (read.IsCompleted)
                {
                    if (rest.Length > 0)
                    {
                        yield return Text(rest, name, number + 1);
                    }

                    yield break;
                }

                Check(rest, name, number + 1);
                reader.AdvanceTo(rest.Start, rest.End);
            }
        }
        finally
        {
            await reader.CompleteAsync();
        }
    }

    private static async ValueTask<ReadResult> FillAsync(PipeReader reader, string name, CancellationToken cancellationToken)
    {
        try
        {
            return await reader.ReadAsync(cancellationToken);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"{name} cannot be read: {failure.Message}", failure);
        }
    }

    private static string Text(ReadOnlySequence<byte> line, string name, long number)
    {
        Check(line, name, number);
        return Encoding.UTF8.GetString(line).TrimStart('\uFEFF').Trim();
    }

    private static void Check(ReadOnlySequence<byte> line, string name, long number)
    {
        if (line.Length > MostBytes)
        {
            throw new InputException(FormattableString.Invariant($"line {number} of {name} is longer than {MostBytes} bytes; is it a list with one URL a line?"));
        }
    }
}
