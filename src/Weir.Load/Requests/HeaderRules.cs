using System.Buffers;

namespace Weir.Load.Requests;

/// <summary>What a header of a request may be.</summary>
internal static class HeaderRules
{
    private static readonly SearchValues<char> Token = SearchValues.Create("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    private static readonly SearchValues<char> Printable = SearchValues.Create("\t " + new string([.. Enumerable.Range('!', '~' - '!' + 1).Select(static code => (char)code)]));
    private static readonly string[] OwnNames = ["Content-Length", "Transfer-Encoding", "Connection"];

    /// <summary>The same headers; throws an <see cref="ArgumentException"/> that names one that cannot be sent.</summary>
    public static IReadOnlyList<KeyValuePair<string, string>> Checked(IReadOnlyList<KeyValuePair<string, string>> headers)
    {
        ArgumentNullException.ThrowIfNull(headers);
        foreach (var (name, value) in headers)
        {
            if (string.IsNullOrEmpty(name) || name.AsSpan().ContainsAnyExcept(Token))
            {
                throw new ArgumentException($"A header is named '{name}'; a name consists of letters, digits and !#$%&'*+-.^_`|~ only.", nameof(headers));
            }

            if (OwnNames.Contains(name, StringComparer.OrdinalIgnoreCase))
            {
                throw new ArgumentException($"The header '{name}' is set by the load test itself; leave it out.", nameof(headers));
            }

            if (value is null || value.AsSpan().ContainsAnyExcept(Printable))
            {
                throw new ArgumentException($"The header '{name}' has the value '{value}'; a value consists of printable ASCII characters.", nameof(headers));
            }
        }

        return headers;
    }
}
