using Microsoft.AspNetCore.Http;

namespace Weir.Jobs.AspNetCore.Submitting;

/// <summary>The header by which a repeated submission finds the job of the first (draft-ietf-httpapi-idempotency-key-header).</summary>
internal static class IdempotencyKey
{
    public const string Header = "Idempotency-Key";

    /// <summary>What a key must be.</summary>
    public const string Expected = "1 to 200 visible characters of ASCII, as they are or between quotation marks";

    private const int MostLength = 200;

    /// <summary>Reads the key; <c>null</c> where there is none.</summary>
    /// <returns>Whether there is none, or one that is valid.</returns>
    public static bool TryRead(IHeaderDictionary headers, out string? key)
    {
        key = null;
        if (!headers.TryGetValue(Header, out var sent))
        {
            return true;
        }

        var text = sent.Count == 1 ? sent[0].AsSpan().Trim(" \t") : default;
        if (text.Length >= 2 && text[0] == '"' && text[^1] == '"')
        {
            text = text[1..^1];
        }

        if (text.Length is 0 or > MostLength || text.ContainsAnyExceptInRange('!', '~') || text.ContainsAny('"', '\\'))
        {
            return false;
        }

        key = text.ToString();
        return true;
    }
}
