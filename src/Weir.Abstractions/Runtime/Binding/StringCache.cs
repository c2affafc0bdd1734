namespace Weir.Runtime;

/// <summary>
/// The short texts that callers sent lately, so that a value which comes again and again is one string: names of things, not
/// free text. One table per thread, of a fixed size; a text falls on one place and displaces what stood there.
/// </summary>
internal static class StringCache
{
    /// <summary>Longer texts seldom come twice.</summary>
    private const int Longest = 32;

    // A power of two.
    private const int Places = 128;

    [ThreadStatic]
    private static string?[]? _recent;

    /// <summary>The text as a string; not always a new one.</summary>
    public static string Get(ReadOnlySpan<char> text)
    {
        if (text.Length is 0 or > Longest)
        {
            return text.ToString();
        }

        // Seeded per process: nobody outside can aim at a place.
        ref var place = ref (_recent ??= new string?[Places])[string.GetHashCode(text) & (Places - 1)];
        return place is { } known && text.SequenceEqual(known) ? known : place = text.ToString();
    }
}
