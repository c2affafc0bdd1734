using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Formatting;

/// <summary>Chooses a format by <c>Accept</c> (RFC 9110 §12.5.1): the closest range decides a format's quality, the best quality wins, and the result decides between equals.</summary>
internal static class Negotiation
{
    /// <summary>The format of an answer of an operation; <c>null</c> when the caller accepts none.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="formats">Those that it can answer in.</param>
    /// <param name="accept">The header.</param>
    /// <param name="isByExtension">Whether the path named the format, so that the header cannot refuse it.</param>
    internal static IFormat? Choose(Operation operation, Formats formats, StringValues accept, bool isByExtension)
    {
        if (operation.ResultKind is ResultKind.None or ResultKind.Http || (operation.ResultKind == ResultKind.Raw && operation.MediaType is null) || (isByExtension && formats.Candidates.Length == 1))
        {
            return formats.Candidates[0];
        }

        var chosen = Choose(formats, accept);

        // Bytes of which the operation does not say what they are may be what the caller wants.
        return chosen is null && (isByExtension || (operation.MediaType is null && (operation.StreamsBytes || operation.ResultKind == ResultKind.Bytes))) ? formats.Candidates[0] : chosen;
    }

    /// <summary>What a caller gets that accepts no format of an operation.</summary>
    internal static Problem Refuse(Operation operation, Formats formats) =>
        new(StatusCodes.Status406NotAcceptable, WeirCodes.NotAcceptable, $"{operation} can answer in {formats.Describe()}; the request accepts none of them.");

    /// <summary>The format that fits best; <c>null</c> when the caller accepts none of them.</summary>
    internal static IFormat? Choose(Formats formats, StringValues accept)
    {
        var candidates = formats.Candidates;
        if (accept.Count == 0 || (accept.Count == 1 && (accept[0] is null or "" or "*/*" || IsAnythingWithSignature(accept[0]))))
        {
            return candidates[0];
        }

        Span<int> quality = stackalloc int[candidates.Length];
        Span<int> closeness = stackalloc int[candidates.Length];
        closeness.Fill(-1);
        var understood = false;
        foreach (var line in accept)
        {
            var rest = line.AsSpan();
            while (!rest.IsEmpty)
            {
                if (MediaRange.TryParse(HeaderText.Take(ref rest, ','), out var range))
                {
                    understood = true;
                    Apply(range, candidates, quality, closeness);
                }
            }
        }

        return understood ? Best(candidates, quality) : candidates[0];
    }

    // What generated clients send for a result in JSON.
    private static bool IsAnythingWithSignature(ReadOnlySpan<char> accept) => accept.StartsWith("*/*;signature=") && !accept[4..].ContainsAny(',', ';');

    private static void Apply(in MediaRange range, ReadOnlySpan<IFormat> candidates, Span<int> quality, Span<int> closeness)
    {
        for (var i = 0; i < candidates.Length; i++)
        {
            var close = range.Closeness(candidates[i]);
            if (close > closeness[i] || (close == closeness[i] && close >= 0 && range.Quality > quality[i]))
            {
                closeness[i] = close;
                quality[i] = range.Quality;
            }
        }
    }

    private static IFormat? Best(ReadOnlySpan<IFormat> candidates, ReadOnlySpan<int> quality)
    {
        var best = -1;
        for (var i = 0; i < candidates.Length; i++)
        {
            if (quality[i] > 0 && (best < 0 || quality[i] > quality[best]))
            {
                best = i;
            }
        }

        return best < 0 ? null : candidates[best];
    }
}
