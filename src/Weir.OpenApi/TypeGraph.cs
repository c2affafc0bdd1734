using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Weir.OpenApi;

/// <summary>The types that JSON reaches from some types: their members, elements, keys and cases, each once. Not for concurrent use.</summary>
/// <param name="options">How they are written.</param>
internal sealed class TypeGraph(JsonSerializerOptions options)
{
    private readonly HashSet<Type> _seen = [];

    /// <summary>What was reached.</summary>
    internal List<JsonTypeInfo> Types { get; } = [];

    /// <summary>Adds a type and what is reached from it.</summary>
    internal void Add(Type? type)
    {
        var next = new Stack<Type?>([type]);
        while (next.TryPop(out var one))
        {
            if (one is null || one == typeof(void) || !_seen.Add(one) || Find(one) is not { } found)
            {
                continue;
            }

            Types.Add(found);
            foreach (var reached in Reached(found))
            {
                next.Push(reached);
            }
        }
    }

    // A type that JSON does not know, such as a file, has no schema of members.
    private JsonTypeInfo? Find(Type type)
    {
        try
        {
            return options.TryGetTypeInfo(type, out var found) ? found : null;
        }
        catch (Exception error) when (error is NotSupportedException or InvalidOperationException or ArgumentException)
        {
            return null;
        }
    }

    private static List<Type?> Reached(JsonTypeInfo type)
    {
        try
        {
            return
            [
                Nullable.GetUnderlyingType(type.Type), type.ElementType, type.KeyType,
                .. type.Properties.Select(static one => one.PropertyType),
                .. type.PolymorphismOptions?.DerivedTypes.Select(static one => one.DerivedType) ?? [],
            ];
        }
        catch (Exception error) when (error is NotSupportedException or InvalidOperationException)
        {
            return [];
        }
    }
}
