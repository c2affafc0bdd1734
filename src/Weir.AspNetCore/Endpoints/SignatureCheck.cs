using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Compares the contract by which a client calls an operation with the server's own, by the hashes that every request of the client has in <c>Accept</c>:
/// <c>application/json;signature=9d0c….17ab…</c> is the client's own contract and another one that it has judged. Where the server's is none of them
/// nothing runs: the client reads in the answer what the operation has become, and decides whether it can still call it. Immutable once its endpoint is built; used concurrently.
/// </summary>
/// <param name="operation">The operation.</param>
/// <param name="refusals">Logs refused requests.</param>
/// <param name="isNegotiated">Whether responses say already that they depend on <c>Accept</c>.</param>
/// <remarks>
/// In <c>Accept</c>, and not in a header of its own: a page of another origin may send it without a preflight request and without a word in the server's
/// CORS policy, proxies pass it on, and caches that respect <c>Vary</c> keep the answers to clients of different contracts apart.
/// </remarks>
internal sealed class SignatureCheck(Operation operation, ContractRefusals refusals, bool isNegotiated)
{
    /// <summary>The header of a response that says by which contract it was made.</summary>
    internal const string Header = "Weir-Signature";

    private const string Parameter = "signature=";

    // The last element of the list, from clients whose body can be sent once only: they compare the contracts after the answer.
    private const string Any = "*";

    private readonly string _own = operation.Signature.ToString("x16", CultureInfo.InvariantCulture);
    private StringValues _answer;

    /// <summary>Whether the application keeps answers: then each of them says by which contract it was made, because a generated client may get what another caller was sent.</summary>
    internal bool IsCached { get; set; }

    /// <summary>The problem of a request whose client does not know the server's contract; <c>null</c> where it does, or does not say.</summary>
    internal Problem? Check(HttpContext http)
    {
        var accept = http.Request.Headers.Accept;
        if (accept.Count == 0 || Find(accept.Count == 1 ? accept[0] : accept.ToString()) is not { IsEmpty: false } known)
        {
            if (IsCached)
            {
                http.Response.Headers[Header] = Answer;
            }

            return null;
        }

        if (!Knows(known))
        {
            refusals.Note(_own, known);
            return new Problem(
                StatusCodes.Status412PreconditionFailed,
                WeirCodes.ContractChanged,
                $"{operation} has the signature {_own} here, and the client knows {known}; nothing was run. 'contract' has what the operation is now.")
            {
                Contract = ContractPart.Of(operation.Service, new HashSet<string>(StringComparer.OrdinalIgnoreCase) { operation.Name })?.ToJsonString(),
            };
        }

        // A cache may keep the response, and give it to clients of another contract.
        var headers = http.Response.Headers;
        headers[Header] = Answer;
        if (!isNegotiated)
        {
            headers.Append(HeaderNames.Vary, HeaderNames.Accept);
        }

        return null;
    }

    private StringValues Answer => _answer.Count > 0 ? _answer : _answer = _own;

    // The list of hashes; empty where there is none.
    private static ReadOnlySpan<char> Find(string? accept)
    {
        var rest = accept.AsSpan();
        while (rest.IndexOf(Parameter, StringComparison.OrdinalIgnoreCase) is >= 0 and var at)
        {
            var before = rest[..at].TrimEnd(' ');
            rest = rest[(at + Parameter.Length)..];
            if (before.EndsWith(";"))
            {
                return rest.IndexOfAny(',', ';', ' ') is >= 0 and var end ? rest[..end] : rest;
            }
        }

        return default;
    }

    private bool Knows(ReadOnlySpan<char> known)
    {
        foreach (var one in known.Split('.'))
        {
            if (known[one].Equals(_own, StringComparison.OrdinalIgnoreCase) || known[one] is Any)
            {
                return true;
            }
        }

        return false;
    }
}
