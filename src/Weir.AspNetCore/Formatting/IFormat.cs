using Microsoft.Extensions.Primitives;

namespace Weir.AspNetCore.Formatting;

/// <summary>One way in which a result can stand on the wire. Immutable; used concurrently.</summary>
internal interface IFormat
{
    /// <summary>The media type, without parameters: <c>application/json</c>.</summary>
    string MediaType { get; }

    /// <summary>What <c>{Operation}.ext</c> must say to get it.</summary>
    string Extension { get; }

    /// <summary>The response's <c>Content-Type</c>.</summary>
    StringValues ContentType { get; }

    /// <summary>
    /// Whether this form needs the parameter <c>weir=1</c> in <c>Accept</c> (<c>true</c>) or its absence (<c>false</c>);
    /// <c>null</c> for formats that do not know it.
    /// </summary>
    bool? IsMarked { get; }
}
