using System.Globalization;

namespace Weir.AspNetCore.Binding;

/// <summary>The header by which a reader says which item of a stream it received last.</summary>
internal static class LastEventId
{
    internal const string Header = "Last-Event-ID";

    /// <summary>Reads an index; <c>-1</c> means that no item was received.</summary>
    internal static bool TryParseIndex(ReadOnlySpan<char> text, out long index)
    {
        if (text is "-1")
        {
            index = -1;
            return true;
        }

        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out index);
    }
}
