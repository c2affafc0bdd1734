using System.Net;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Client.Responses;

/// <summary>Reads the result of a successful response.</summary>
internal static class ResponseValue
{
    internal static T Read<T>(string operation, HttpResponseMessage response, ReadOnlySpan<byte> body, ClientValue<T> codec)
    {
        if (response.StatusCode == HttpStatusCode.NoContent && default(T) is null)
        {
            return default!;
        }

        if (!IsJson(response.Content.Headers.ContentType?.MediaType))
        {
            throw new UnexpectedResponseException(
                $"{operation} answered with status {(int)response.StatusCode} and {response.Content.Headers.ContentType?.ToString() ?? "no content type"}, and the contract says JSON: does BaseAddress name the server of this contract?");
        }

        return Read(operation, body, codec);
    }

    internal static T Read<T>(string operation, ReadOnlySpan<byte> json, ClientValue<T> codec)
    {
        try
        {
            return codec.Read(json);
        }
        catch (JsonException error)
        {
            throw new UnexpectedResponseException($"{operation} answered with JSON that the contract does not describe: {error.Message}", error);
        }
    }

    private static bool IsJson(string? mediaType) =>
        string.Equals(mediaType, "application/json", StringComparison.OrdinalIgnoreCase) || mediaType?.EndsWith("+json", StringComparison.OrdinalIgnoreCase) == true;
}
