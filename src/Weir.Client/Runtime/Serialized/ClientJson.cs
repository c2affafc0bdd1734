using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Weir.Runtime;

/// <summary>What clients know about types that only the serializer reads and writes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ClientJson
{
    /// <summary>
    /// The serializer's metadata where an assembly names none by <see cref="WeirJsonAttribute"/>: found by its reflection; <c>null</c> in a
    /// trimmed or native program, where that is switched off.
    /// </summary>
    public static IJsonTypeInfoResolver? Resolver => JsonSerializer.IsReflectionEnabledByDefault ? Reflected() : null;

#if NET
    [System.Diagnostics.CodeAnalysis.UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Reached only where the serializer's reflection is enabled.")]
    [System.Diagnostics.CodeAnalysis.UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Reached only where the serializer's reflection is enabled.")]
#endif
    private static IJsonTypeInfoResolver? Reflected() => JsonSerializerOptions.Default.TypeInfoResolver;
}
