using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>Joins providers into arrays that compare by their items.</summary>
internal static class Combining
{
    /// <summary>All values of one provider.</summary>
    public static IncrementalValueProvider<EquatableArray<T>> ToArray<T>(this IncrementalValuesProvider<T> values)
        where T : IEquatable<T> => values.Collect().Select(static (items, _) => items.ToEquatableArray());

    /// <summary>All values of several providers, in their order.</summary>
    public static IncrementalValueProvider<EquatableArray<T>> ToArray<T>(this IEnumerable<IncrementalValuesProvider<T>> providers)
        where T : IEquatable<T> =>
        providers.Select(static provider => provider.Collect())
            .Aggregate(static (left, right) => left.Combine(right).Select(static (pair, _) => pair.Left.AddRange(pair.Right)))
            .Select(static (ImmutableArray<T> items, CancellationToken _) => items.ToEquatableArray());
}
