using System.Text.Json.Serialization;

namespace Weir.Lab.Engine;

/// <summary>One line of a result: a contender's metric in a case, as the median of its rounds with the lowest and the highest.</summary>
internal sealed record Row(string Contender, string Case, string Metric, double Value, double Low, double High, string Unit)
{
    /// <summary>What every round gave, in their order, with null where a round did not have the metric; null for a figure that was not measured by rounds.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<double?>? Rounds { get; init; }

    /// <summary>Whether it is a document's own figure, from its own machine.</summary>
    public bool IsPublished => Contender == "document" || Contender.StartsWith("document ", StringComparison.Ordinal);

    /// <summary>A figure that was not measured here.</summary>
    public static Row Fixed(string contender, string @case, string metric, double value, string unit) =>
        new(contender, @case, metric, value, value, value, unit);
}
