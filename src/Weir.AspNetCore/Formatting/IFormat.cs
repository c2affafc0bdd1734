using Microsoft.Extensions.Primitives;

namespace Weir.AspNetCore.Formatting;

/// <summary>One way to write a result on the wire. Immutable; used concurrently.</summary>
internal interface IFormat
{
    /// <summary>The media type, without parameters: <c>application/json</c>.</summary>
    string MediaType { get; }

    /// <summary>The extension in <c>{Operation}.ext</c> that selects it.</summary>
    string Extension { get; }

    /// <summary>The response's <c>Content-Type</c>.</summary>
    StringValues ContentType { get; }

    /// <summary>
    /// Whether this form needs the parameter <c>weir=1</c> in <c>Accept</c> (<c>true</c>) or its absence (<c>false</c>);
    /// <c>null</c> for formats without that parameter.
    /// </summary>
    bool? IsMarked { get; }
}
