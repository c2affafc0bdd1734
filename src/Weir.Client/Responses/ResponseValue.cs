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
            return codec.IsNullable ? default! : throw new UnexpectedResponseException(
                $"{operation} answered with status 204 and no result, and the contract says that the result is never null: does a filter of the server answer for it, or is the server of another version?");
        }

        if (!IsJson(response.Content.Headers.ContentType?.MediaType))
        {
            throw new UnexpectedResponseException(
                $"{operation} answered with status {(int)response.StatusCode} and {response.Content.Headers.ContentType?.ToString() ?? "no content type"}, and the contract says JSON: does BaseAddress name the server of this contract?");
        }

        return Read(operation, body, codec);
    }

    // There is no null in bytes as they are, so a server writes it in JSON.
    internal static byte[] ReadBytes(string operation, HttpResponseMessage response, ReadOnlySpan<byte> body) =>
        IsJson(response.Content.Headers.ContentType?.MediaType) && body.SequenceEqual("null"u8)
            ? throw new UnexpectedResponseException($"{operation} answered with null, and the contract says bytes: has the operation changed?")
            : body.ToArray();

    internal static T Read<T>(string operation, ReadOnlySpan<byte> json, ClientValue<T> codec)
    {
        try
        {
            return codec.ReadChecked(json);
        }
        catch (JsonException error)
        {
            throw new UnexpectedResponseException($"{operation} answered with JSON that the contract does not describe: {error.Message}", error);
        }
    }

    private static bool IsJson(string? mediaType) =>
        string.Equals(mediaType, "application/json", StringComparison.OrdinalIgnoreCase) || mediaType?.EndsWith("+json", StringComparison.OrdinalIgnoreCase) == true;
}
