using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Decompression;

/// <summary>The body is not what its <c>Content-Encoding</c> says, or not all of it. Every server of ASP.NET Core answers 400.</summary>
internal sealed class BrokenCodingException(string message, Exception? inner = null) : BadHttpRequestException(message, StatusCodes.Status400BadRequest, inner!)
{
    /// <summary>What was expected.</summary>
    internal const string Expected = "a complete body in the encoding that Content-Encoding names";
}
