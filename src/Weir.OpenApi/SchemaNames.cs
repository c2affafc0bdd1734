using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Microsoft.AspNetCore.Mvc.ApiExplorer;

namespace Weir.OpenApi;

/// <summary>
/// The names of the schemas of one document. ASP.NET Core's names are simple names, so that two types of one simple name would share a schema, that of the
/// first. Such types, and only they, are named with what encloses them as far as they differ in it: <c>OldPart</c> and <c>NewPart</c>. May be used concurrently.
/// </summary>
/// <param name="groups">Everything that the application describes; read again when its version changes.</param>
/// <param name="isIncluded">Whether a description is in this document.</param>
/// <param name="usual">ASP.NET Core's name of a type; <c>null</c> where its schema has none.</param>
internal sealed class SchemaNames(Func<ApiDescriptionGroupCollection?> groups, Func<ApiDescription, bool> isIncluded, Func<JsonTypeInfo, string?> usual)
{
    private Table? _table;

    /// <summary>The name of a type; <c>null</c> where its schema has none.</summary>
    internal string? Of(JsonTypeInfo type)
    {
        if (usual(type) is not { } name)
        {
            return null;
        }

        var described = groups();
        if (_table is not { } table || table.Version != described?.Version || !ReferenceEquals(table.Options, type.Options))
        {
            _table = table = new Table(described?.Version, type.Options, Distinguish(Types(described, type.Options)));
        }

        return table.Names.GetValueOrDefault(Core(type.Type), name);
    }

    private static Type Core(Type type) => Nullable.GetUnderlyingType(type) ?? type;

    private List<JsonTypeInfo> Types(ApiDescriptionGroupCollection? described, JsonSerializerOptions options)
    {
        var graph = new TypeGraph(options);
        foreach (var description in described?.Items.SelectMany(static group => group.Items).Where(isIncluded) ?? [])
        {
            foreach (var type in description.ParameterDescriptions.Select(static one => one.Type).Concat(description.SupportedResponseTypes.Select(static one => one.Type)))
            {
                graph.Add(type);
            }
        }

        return graph.Types;
    }

    private Dictionary<Type, string> Distinguish(List<JsonTypeInfo> types)
    {
        var byName = types.Select(one => (Core(one.Type), Name: usual(one))).Where(static one => one.Name is not null)
            .DistinctBy(static one => one.Item1).ToLookup(static one => one.Name!, static one => one.Item1, StringComparer.Ordinal);
        var taken = byName.Select(static one => one.Key).ToHashSet(StringComparer.Ordinal);
        var names = new Dictionary<Type, string>();
        foreach (var (name, alike) in byName.OrderBy(static one => one.Key, StringComparer.Ordinal).Select(static one => (one.Key, one.OrderBy(static type => type.AssemblyQualifiedName, StringComparer.Ordinal).ToList())))
        {
            if (alike.Count > 1)
            {
                foreach (var (type, own) in alike.Zip(Distinguish(name, alike, taken)))
                {
                    names[type] = own;
                    taken.Add(own);
                }
            }
        }

        return names;
    }

    // By as few enclosing names as are enough: first of the arguments of generic types only, then of the types themselves.
    private static List<string> Distinguish(string name, List<Type> alike, HashSet<string> taken)
    {
        var deepest = alike.Max(QualifiedName.Depth);
        for (var depth = 1; depth <= deepest; depth++)
        {
            foreach (var outer in (int[])[0, depth])
            {
                var names = alike.ConvertAll(type => QualifiedName.Of(type, outer, depth));
                if (names.Distinct(StringComparer.Ordinal).Count() == names.Count && !names.Exists(taken.Contains))
                {
                    return names;
                }
            }
        }

        // One full name in several assemblies.
        return [.. alike.Select((_, index) => index == 0 ? name : $"{name}{index + 1}")];
    }

    private sealed record Table(int? Version, JsonSerializerOptions Options, Dictionary<Type, string> Names);
}
