namespace Weir.Runtime;

/// <summary>
/// The short texts that callers sent recently, so that a value which repeats is one string: names of things, not
/// free text. One table per thread, of a fixed size; each text has one place, by its hash, and replaces what was there.
/// </summary>
internal static class StringCache
{
    /// <summary>Longer texts seldom repeat.</summary>
    private const int Longest = 32;

    // A power of two.
    private const int Places = 128;

    [ThreadStatic]
    private static string?[]? _recent;

    /// <summary>The text as a string; often an existing one.</summary>
    public static string Get(ReadOnlySpan<char> text)
    {
        if (text.Length is 0 or > Longest)
        {
            return text.ToString();
        }

        // Seeded per process: a caller cannot choose texts that share a place.
        ref var place = ref (_recent ??= new string?[Places])[string.GetHashCode(text) & (Places - 1)];
        return place is { } known && text.SequenceEqual(known) ? known : place = text.ToString();
    }
}
