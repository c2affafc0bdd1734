namespace Weir;

/// <summary>
/// The media type of a result that is bytes, a stream of bytes, or content (<c>byte[]</c>, <c>ReadOnlyMemory&lt;byte&gt;</c>, <c>IAsyncEnumerable</c> of them, <c>Stream</c>,
/// <c>PipeReader</c>): over HTTP the <c>Content-Type</c> of the response, what <c>Accept</c> is compared with, and what documents and clients say. Without it that is
/// <c>application/octet-stream</c>. A <c>Content-Type</c> in the context's headers is sent in its place. Belongs on the method of the interface, where there is one. Where ASP.NET Core
/// is referenced, <c>[Produces]</c> is the same. On other results, and with another text than one media type, a build error (WEIR1017).
/// </summary>
/// <param name="mediaType">One media type without wildcards, as in <c>image/png</c>; it may have parameters, as in <c>text/csv; charset=utf-8</c>.</param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MediaTypeAttribute(string mediaType) : Attribute
{
    /// <summary>The media type.</summary>
    public string MediaType { get; } = mediaType;
}
