using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Decompression;
using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Problems;

/// <summary>Problems of a body that the server cannot read.</summary>
internal static class UnreadableBody
{
    // COR_E_IO.
    private const int UnspecificFailure = unchecked((int)0x80131620);

    internal static Problem Describe(BadHttpRequestException error) => error.StatusCode == StatusCodes.Status413PayloadTooLarge
        ? new Problem(413, WeirCodes.BodyTooLarge, "The body is larger than the server's limit (KestrelServerLimits.MaxRequestBodySize); send less, or raise it.")
        : Malformed(error.StatusCode, error.Message, error is BrokenCodingException ? BrokenCodingException.Expected : "a complete body");

    internal static Problem Describe(Exception error, BodyForm form) => Malformed(
        StatusCodes.Status400BadRequest,
        $"The body cannot be read: {error.Message}",
        form == BodyForm.Multipart ? "a complete multipart form, within the server's FormOptions" : BrokenCodingException.Expected);

    /// <summary>
    /// Whether reading failed because of what the body contains: a middleware decompresses it, and each coding throws its own exception; a form ends before
    /// its last boundary; the size of a chunk is more than any body can have. An exception of the operating system has a number of its own.
    /// </summary>
    internal static bool IsMalformed(Exception error) => error is InvalidDataException or InvalidOperationException or IOException { HResult: UnspecificFailure };

    /// <summary>Whether reading failed because the size of a chunk is more than any body can have. Kestrel has no exception of its own for that.</summary>
    internal static bool IsChunkTooLarge(Exception error) => error is IOException { InnerException: OverflowException };

    internal static Problem Unsupported(string? contentType, string wanted)
    {
        var given = string.IsNullOrEmpty(contentType) ? "The body has no Content-Type" : $"The body's Content-Type is '{contentType}'";
        return new Problem(415, WeirCodes.UnsupportedMediaType, $"{given}; send {wanted}.");
    }

    private static Problem Malformed(int status, string detail, string expected) => new(status, WeirCodes.BadArguments, detail)
    {
        BindingErrors = [new BindingError("$", "body", BindingErrorReason.Malformed, expected)],
    };
}
