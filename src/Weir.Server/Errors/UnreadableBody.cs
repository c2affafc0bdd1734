using Microsoft.AspNetCore.Http;

namespace Weir.Server.Errors;

/// <summary>What the server says about a body that it stopped reading.</summary>
internal static class UnreadableBody
{
    internal static Problem Describe(BadHttpRequestException error) => error.StatusCode == StatusCodes.Status413PayloadTooLarge
        ? new Problem(413, WeirCodes.BodyTooLarge, "The body is larger than the server's limit (KestrelServerLimits.MaxRequestBodySize); send less, or raise it.")
        : new Problem(error.StatusCode, WeirCodes.BadArguments, error.Message)
        {
            Faults = [new Fault("$", "body", FaultReason.Malformed, "a whole body")],
        };
}
