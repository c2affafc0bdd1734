using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>An exchanged type and its file.</summary>
internal sealed record TypeFile(string File, TypeModel Type);

/// <summary>The types that an assembly's services exchange, each once.</summary>
internal static class TypeSet
{
    public static IEnumerable<TypeFile> Of(EquatableArray<ParsedService> services) => Of(services.SelectMany(static service => service.Types));

    public static IEnumerable<TypeFile> Of(IEnumerable<TypeModel> all)
    {
        var types = new HashSet<string>();
        var files = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var type in all)
        {
            // A type has one class that reads it and one that validates it.
            if (!types.Add(type.Codec))
            {
                continue;
            }

            // Types may differ only in case; the names of generated files may not.
            var file = $"Type.{type.Codec}";
            while (!files.Add(file))
            {
                file += "_";
            }

            yield return new TypeFile(file + ".g.cs", type);
        }
    }
}
