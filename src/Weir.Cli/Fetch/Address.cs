namespace Weir.Cli.Fetch;

/// <summary>One entry of the list.</summary>
/// <param name="Index">Its position among the URLs, from 0.</param>
/// <param name="Text">As it was given.</param>
/// <param name="Uri">What is fetched; <c>null</c> with a problem.</param>
/// <param name="Problem">Why it cannot be fetched.</param>
internal readonly record struct Address(long Index, string Text, Uri? Uri, string? Problem)
{
    /// <summary>Reads what was given.</summary>
    public static Address Parse(long index, string text)
    {
        if (text.Contains('\uFFFD', StringComparison.Ordinal))
        {
            // Another URL would be fetched.
            return new Address(index, text, null, $"'{text}' has bytes that are not UTF-8; convert the list.");
        }

        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Scheme is not ("http" or "https"))
        {
            return new Address(index, text, null, $"'{text}' is no URL that begins with http:// or https://.");
        }

        return uri.UserInfo.Length > 0
            ? new Address(index, text, null, $"'{uri.GetComponents(UriComponents.HttpRequestUrl, UriFormat.UriEscaped)}' was given with a user name, which is not sent. Remove it.")
            : new Address(index, text, uri, null);
    }
}
