using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;

namespace Weir.Jobs.AspNetCore.Submitting;

/// <summary>What a request prefers (RFC 7240).</summary>
/// <param name="RespondsAsync">Whether it prefers 202 to waiting for the result.</param>
/// <param name="Wait">How many seconds it waits for an end, at most <see cref="MostWait"/>; <c>null</c> where it does not say.</param>
internal readonly record struct Preference(bool RespondsAsync, int? Wait)
{
    /// <summary>The header that says which preferences were met.</summary>
    public const string AppliedHeader = "Preference-Applied";

    /// <summary>Seconds.</summary>
    public const int MostWait = 60;

    private const string Header = "Prefer";

    /// <summary>Reads it. What is not understood is no preference (§2); of one that is there twice, the first counts.</summary>
    public static Preference Of(IHeaderDictionary headers)
    {
        if (!headers.TryGetValue(Header, out var sent))
        {
            return default;
        }

        return Read(sent);
    }

    private static Preference Read(StringValues sent)
    {
        var respondsAsync = false;
        int? wait = null;
        foreach (var line in sent)
        {
            var rest = line.AsSpan();
            while (!rest.IsEmpty)
            {
                var preference = HeaderText.Take(ref rest, ',');
                var hasValue = HeaderText.TryGetParameter(HeaderText.Take(ref preference, ';'), out var name, out var value);
                if (name.Equals("respond-async", StringComparison.OrdinalIgnoreCase))
                {
                    respondsAsync = true;
                }
                else if (hasValue && wait is null && name.Equals("wait", StringComparison.OrdinalIgnoreCase) && IsDigits(value))
                {
                    wait = int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds) ? Math.Min(seconds, MostWait) : MostWait;
                }
            }
        }

        return new Preference(respondsAsync, wait);
    }

    private static bool IsDigits(ReadOnlySpan<char> text) => text.Length > 0 && !text.ContainsAnyExceptInRange('0', '9');
}
