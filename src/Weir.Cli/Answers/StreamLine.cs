using System.Text;
using System.Text.Json;

namespace Weir.Cli.Answers;

/// <summary>A line of a stream: an item, or what begins with <c>{"$weir":</c>. It is read as the generated clients read it.</summary>
internal readonly record struct StreamLine
{
    // As deep as a writer of JSON goes.
    private static readonly JsonReaderOptions Deep = new() { MaxDepth = 1000 };

    private StreamLine(StreamLineKind kind, long number, ReadOnlyMemory<byte> json) => (Kind, Number, Json) = (kind, number, json);

    /// <summary>What it is.</summary>
    public StreamLineKind Kind { get; }

    /// <summary>Of the end, how many items the server sent; of what continues, after how many milliseconds.</summary>
    public long Number { get; }

    /// <summary>The item or the problem.</summary>
    public ReadOnlyMemory<byte> Json { get; }

    private static ReadOnlySpan<byte> Mark => "{\"$weir\":"u8;

    /// <summary>Reads a line that is not empty.</summary>
    /// <exception cref="JsonException">It is none that a server of Weir writes.</exception>
    public static StreamLine Parse(ReadOnlyMemory<byte> line)
    {
        try
        {
            return line.Span.StartsWith(Mark) ? Marked(line) : Item(line);
        }
        catch (Exception wrong) when (wrong is InvalidOperationException or FormatException)
        {
            // A count that is no number, or a name that is no text.
            throw new JsonException(wrong.Message, wrong);
        }
    }

    private static StreamLine Item(ReadOnlyMemory<byte> line)
    {
        var reader = new Utf8JsonReader(line.Span, Deep);
        while (reader.Read())
        {
            // It is one value, to its end.
        }

        return new StreamLine(StreamLineKind.Item, 0, line);
    }

    private static StreamLine Marked(ReadOnlyMemory<byte> line)
    {
        var reader = new Utf8JsonReader(line.Span, Deep);
        Expect(ref reader, JsonTokenType.StartObject);
        Expect(ref reader, JsonTokenType.PropertyName);
        Expect(ref reader, JsonTokenType.StartObject);
        StreamLine? found = null;
        var isComplete = false;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var name = Encoding.UTF8.GetString(reader.ValueSpan);
            reader.Read();
            var from = (int)reader.TokenStartIndex;
            switch (name)
            {
                case "ok":
                    isComplete = reader.GetBoolean();
                    break;
                case "count":
                    found = new StreamLine(StreamLineKind.End, reader.GetInt64(), default);
                    break;
                case "retry":
                    found = new StreamLine(StreamLineKind.Retry, reader.GetInt64(), default);
                    break;
                case "problem" or "item":
                    reader.Skip();
                    found = new StreamLine(name == "item" ? StreamLineKind.Item : StreamLineKind.Problem, 0, line[from..(int)reader.BytesConsumed]);
                    break;
                default:
                    // What a later version of the server adds.
                    reader.Skip();
                    break;
            }
        }

        while (reader.Read())
        {
            // The line has nothing after the object.
        }

        return found is { } one && (one.Kind != StreamLineKind.End || isComplete)
            ? one
            : throw new JsonException("it begins with $weir and is neither an item, nor a problem, nor the end of a complete stream");
    }

    private static void Expect(ref Utf8JsonReader reader, JsonTokenType token)
    {
        if (!reader.Read() || reader.TokenType != token)
        {
            throw new JsonException("it begins with $weir and is not what a server writes");
        }
    }
}
