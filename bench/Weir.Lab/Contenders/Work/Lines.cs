namespace Weir.Lab.Contenders.Work;

/// <summary>Document 004's bytes, written in pieces: each is one line of NDJSON, so that a stream of texts is the same bytes as pieces written by hand.</summary>
internal static class Lines
{
    /// <summary>The length of a short piece: that of the document's answer.</summary>
    public const int Short = 23;

    private static readonly string[] Texts = [new('x', Short - Around), new('x', Long - Around)];
    private static readonly byte[][] Pieces = [.. Texts.Select(static text => System.Text.Encoding.ASCII.GetBytes($"\"{text}\"\n"))];

    private const int Long = 1024;
    private const int Around = 3;

    /// <summary>One piece as it is sent: a short one, or one of 1 KB.</summary>
    public static ReadOnlyMemory<byte> Piece(bool isLong) => Pieces[isLong ? 1 : 0];

    public static IEnumerable<string> Of(int count, bool isLong) => Enumerable.Repeat(Texts[isLong ? 1 : 0], count);

    /// <summary>A source that always has its next item.</summary>
    public static async IAsyncEnumerable<string> OfAsync(int count, bool isLong)
    {
        await Task.CompletedTask;
        foreach (var text in Of(count, isLong))
            yield return text;
    }
}
