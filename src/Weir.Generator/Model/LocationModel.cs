using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Weir.Generator.Model;

/// <summary>A place in source that keeps no syntax tree alive.</summary>
internal sealed record LocationModel(string Path, TextSpan Span, LinePositionSpan Lines)
{
    /// <summary>The place of a location; <c>null</c> when it is not in source.</summary>
    public static LocationModel? Of(Location? location) =>
        location is { SourceTree: { } tree } ? new(tree.FilePath, location.SourceSpan, location.GetLineSpan().Span) : null;

    public Location ToLocation() => Location.Create(Path, Span, Lines);
}
