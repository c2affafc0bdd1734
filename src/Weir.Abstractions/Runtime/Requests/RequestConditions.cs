using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// What a reader of content asks for: a range of it, or nothing where it has it already. As the headers of its request say (RFC 9110 §13 and §14). Immutable.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class RequestConditions
{
    private const string RangeItem = "weir.range";
    private const string IfRangeItem = "weir.if-range";
    private const string IfNoneMatchItem = "weir.if-none-match";

    /// <summary>The header <c>Range</c>; <c>null</c>, the default, for all of the content.</summary>
    public string? Range { get; init; }

    /// <summary>The header <c>If-Range</c>: the range is wanted only of the content that the reader knows. <c>null</c>, the default, for any content.</summary>
    public string? IfRange { get; init; }

    /// <summary>The header <c>If-None-Match</c>: the content that the reader has already. <c>null</c>, the default, for none.</summary>
    public string? IfNoneMatch { get; init; }

    /// <summary>The conditions among the items of a call's context; <c>null</c> where there are none.</summary>
    /// <param name="items">What reached the worker; <c>null</c> for nothing.</param>
    public static RequestConditions? ReadFrom(IEnumerable<KeyValuePair<string, string>>? items)
    {
        string? range = null, unchanged = null, known = null;
        foreach (var (name, value) in items ?? [])
        {
            range = name == RangeItem ? value : range;
            unchanged = name == IfRangeItem ? value : unchanged;
            known = name == IfNoneMatchItem ? value : known;
        }

        return range is null && known is null ? null : new RequestConditions { Range = range, IfRange = unchanged, IfNoneMatch = known };
    }

    /// <summary>Adds the conditions to the items of a call's context, with which they reach a worker.</summary>
    /// <param name="context">The call's.</param>
    public void WriteTo(OperationContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        Add(context, RangeItem, Range);
        Add(context, IfRangeItem, IfRange);
        Add(context, IfNoneMatchItem, IfNoneMatch);
    }

    private static void Add(OperationContext context, string item, string? value)
    {
        if (value is not null)
        {
            context.Items[item] = value;
        }
    }
}
