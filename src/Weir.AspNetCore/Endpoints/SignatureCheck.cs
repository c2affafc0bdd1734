using System.Globalization;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Description;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Compares the contract by which a client calls an operation with the server's own, by the hash that the client sends. Where they differ nothing
/// runs: the client reads in the answer what the operation has become, and decides whether it can still call it.
/// </summary>
internal static class SignatureCheck
{
    internal const string Header = "Weir-Signature";

    /// <summary>The problem of a request whose client has another contract; <c>null</c> where it has the same, or does not say.</summary>
    internal static Problem? Check(Operation operation, IHeaderDictionary headers)
    {
        if (!headers.TryGetValue(Header, out var values)
            || (values.Count == 1 && ulong.TryParse(values[0], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var signature) && signature == operation.Signature))
        {
            return null;
        }

        return new Problem(
            StatusCodes.Status412PreconditionFailed,
            WeirCodes.ContractChanged,
            $"{operation} has the signature {operation.Signature:x16} here, and the client was built for {values}; nothing was run. 'contract' has what the operation is now.")
        {
            Contract = ContractPart.Of(operation.Service, new HashSet<string>(StringComparer.OrdinalIgnoreCase) { operation.Name })?.ToJsonString(),
        };
    }
}
