using System.Text;
using System.Text.Json;

namespace Weir.Client.Responses;

/// <summary>A line of a stream that is not simply an item: <c>{"$weir":{…}}</c>. It proves the end, carries the problem, or wraps an item that looks like this.</summary>
internal readonly struct MarkedLine
{
    /// <summary>The kind of the last line of a complete stream.</summary>
    internal const int End = 0;

    /// <summary>The kind of the last line of a failed stream.</summary>
    internal const int Problem = 1;

    /// <summary>The kind of a wrapped item.</summary>
    internal const int Item = 2;

    /// <summary>The kind of the last line of a stream that continues in another request.</summary>
    internal const int Retry = 3;

    private static readonly byte[] Mark = Encoding.ASCII.GetBytes("{\"$weir\":");

    private MarkedLine(int kind, long count, int from, int length) => (Kind, Count, From, Length) = (kind, count, from, length);

    internal int Kind { get; }

    /// <summary>How many items the server sent; before another request, how many milliseconds to wait.</summary>
    internal long Count { get; }

    /// <summary>Where the problem or item begins in the line.</summary>
    internal int From { get; }

    /// <summary>How long it is.</summary>
    internal int Length { get; }

    internal static bool IsMarked(ReadOnlySpan<byte> line) => line[0] == (byte)'{' && line.StartsWith(Mark);

    /// <summary>Parses a line.</summary>
    /// <exception cref="JsonException">It is none that a server writes.</exception>
    internal static MarkedLine Parse(ReadOnlySpan<byte> line)
    {
        try
        {
            return Read(line);
        }
        catch (InvalidOperationException error)
        {
            // A name that is no text: half of a surrogate pair.
            throw new JsonException("A line begins with $weir and is not what a server writes.", error);
        }
    }

    private static MarkedLine Read(ReadOnlySpan<byte> line)
    {
        var reader = new Utf8JsonReader(line);
        Expect(ref reader, JsonTokenType.StartObject);
        Expect(ref reader, JsonTokenType.PropertyName);
        Expect(ref reader, JsonTokenType.StartObject);
        MarkedLine? found = null;
        var isComplete = false;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var name = reader.GetString();
            reader.Read();
            var from = (int)reader.TokenStartIndex;
            switch (name)
            {
                case "ok":
                    isComplete = reader.TokenType == JsonTokenType.True;
                    reader.Skip();
                    break;
                case "count" or "retry":
                    found = Only(found, new MarkedLine(name == "count" ? End : Retry, Number(ref reader), 0, 0));
                    break;
                case "problem" or "item":
                    reader.Skip();
                    found = Only(found, new MarkedLine(name == "item" ? Item : Problem, 0, from, (int)reader.BytesConsumed - from));
                    break;
                default:
                    // What a later version of the server adds.
                    reader.Skip();
                    break;
            }
        }

        // The line that proves the end is whole itself.
        if (reader.TokenType != JsonTokenType.EndObject || !reader.Read() || reader.TokenType != JsonTokenType.EndObject || reader.Read())
        {
            throw new JsonException("A line begins with $weir and is not what a server writes.");
        }

        return found is { } one && (one.Kind != End || isComplete) ? one : throw new JsonException("A line begins with $weir and is neither an item, nor a problem, nor the end.");
    }

    // A line that says two things says neither.
    private static MarkedLine Only(MarkedLine? before, MarkedLine one) =>
        before is null ? one : throw new JsonException("A line begins with $weir and is more than one of an item, a problem and the end.");

    // Counts and times are whole, and not negative.
    private static long Number(ref Utf8JsonReader reader) =>
        reader.TokenType == JsonTokenType.Number && reader.TryGetInt64(out var number) && number >= 0 ? number : throw new JsonException("A line begins with $weir, and its number is none that a server writes.");

    private static void Expect(ref Utf8JsonReader reader, JsonTokenType token)
    {
        if (!reader.Read() || reader.TokenType != token)
        {
            throw new JsonException("A line begins with $weir and is not what a server writes.");
        }
    }
}
