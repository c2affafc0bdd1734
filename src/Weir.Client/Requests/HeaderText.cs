namespace Weir.Client.Requests;

/// <summary>What a header of a request holds as it is: visible ASCII, with blanks between but not around it.</summary>
internal static class HeaderText
{
    /// <summary>Why a header does not hold a text as it is; <c>null</c> where it does.</summary>
    internal static string? Refusal(string text)
    {
        foreach (var character in text)
        {
            if (character is (< ' ' and not '\t') or > '~')
            {
                return character is '\r' or '\n' ? "a header cannot have a line break" : $"a header has visible ASCII, and not U+{(int)character:X4}";
            }
        }

        return text.Length > 0 && (IsBlank(text[0]) || IsBlank(text[text.Length - 1])) ? "the blanks at the ends of a header are lost" : null;
    }

    private static bool IsBlank(char character) => character is ' ' or '\t';
}
