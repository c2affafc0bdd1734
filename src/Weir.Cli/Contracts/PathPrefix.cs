using Weir.Cli.Terminal;

namespace Weir.Cli.Contracts;

/// <summary>The prefix of <c>MapWeir("/v1")</c> in paths: empty, or with a slash at its beginning and none at its end.</summary>
internal static class PathPrefix
{
    /// <summary>As it was typed: <c>/v1</c>, <c>v1</c>; <c>/</c> for none.</summary>
    /// <param name="text">As it was typed.</param>
    /// <param name="option">What messages call it.</param>
    /// <exception cref="InputException">No path begins with it.</exception>
    public static string Parse(string text, string option = "--prefix")
    {
        var prefix = text.Trim('/');
        return prefix.Length == 0 ? ""
            : !prefix.Contains('\\', StringComparison.Ordinal) && prefix.Split('/').All(static part => part is not ("" or "." or "..") && part.All(static letter => letter is > ' ' and <= '~' and not ('?' or '#' or '{' or '}' or '%')))
            ? "/" + prefix
            : throw new InputException($"{option} is '{text}'; write what the paths begin with, such as /v1.");
    }

    /// <summary>Whether a prefix is one that a catalog has, in which a part may be a parameter: <c>/acme</c> is <c>/{tenant}</c>.</summary>
    public static bool Matches(string served, string given)
    {
        var (parts, wanted) = (served.Split('/'), given.Split('/'));
        return parts.Length == wanted.Length
            && parts.Zip(wanted).All(static pair => pair.First.StartsWith('{') || string.Equals(pair.First, pair.Second, StringComparison.OrdinalIgnoreCase));
    }

    /// <summary>For messages: a prefix as it is typed.</summary>
    public static string Shown(string prefix) => prefix.Length == 0 ? "/" : prefix;
}
