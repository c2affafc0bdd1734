using System.Text.RegularExpressions;

namespace Weir.Tests.Architecture;

/// <summary>Identifiers as words.</summary>
internal static partial class Words
{
    /// <summary><c>HttpRequestId</c>, <c>_httpRequestId</c> and <c>HTTP_REQUEST_ID</c> are http, request, id.</summary>
    public static IEnumerable<string> Of(string identifier) =>
        Word().Matches(identifier).Select(match => match.Value);

    [GeneratedRegex("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")]
    private static partial Regex Word();
}
