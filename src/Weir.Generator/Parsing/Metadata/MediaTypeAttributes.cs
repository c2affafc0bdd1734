using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>The attributes that say the media type of a result: that of ASP.NET Core, and that of contracts without it.</summary>
internal static class MediaTypeAttributes
{
    /// <summary>Whether it is one of them.</summary>
    public static bool Contain(AttributeData attribute) =>
        attribute.AttributeClass.IsWeir("MediaTypeAttribute") || attribute.AttributeClass.Is("Microsoft.AspNetCore.Mvc", "ProducesAttribute");
}
