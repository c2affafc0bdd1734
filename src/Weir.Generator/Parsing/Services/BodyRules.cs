using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>A parameter that callers supply.</summary>
/// <param name="Symbol">The parameter, or the member of a group.</param>
/// <param name="Value">Its type; of a streamed request the item's.</param>
/// <param name="IsItems">Whether its items arrive while the operation runs.</param>
internal sealed record BoundParameter(ArgumentSymbol Symbol, ValueModel Value, bool IsItems)
{
    private readonly SourceAttribute? _attribute = Symbol.Source;

    /// <summary>The source that its attribute chooses; <c>null</c> without one.</summary>
    public string? Marked => _attribute?.Source;

    /// <summary>What callers write over HTTP.</summary>
    public string WireName => _attribute?.Name ?? Symbol.Name;

    /// <summary>The source of the body unread, or of files of a form; <c>null</c> for others.</summary>
    public string? Attached { get; init; }

    /// <summary>Whether it is read from a form, and from nothing else.</summary>
    public bool IsForm => Marked == "Form" || Attached == "File";

    public bool IsRaw => !IsItems && Value.IsBytes && Marked is null or "Body";

    /// <summary>Whether it is JSON: because only JSON can hold it, or because it is marked as the body.</summary>
    public bool IsJson => !IsItems && !Value.IsBytes && Attached is null && (Marked is null ? !Value.IsText : Marked == "Body");
}

/// <summary>
/// Decides what the request's body is. It is exactly one thing: the items of a streamed request, bytes as they are, one object, or
/// an object with a member per parameter.
/// </summary>
internal sealed class BodyRules(bool acceptsGet, Action<ArgumentSymbol, string> refuse)
{
    /// <summary>The name of a value of <c>Weir.ParameterSource</c> for each parameter; nothing of use where a parameter was refused.</summary>
    public string[] Sources(List<BoundParameter> bound)
    {
        var items = bound.FindAll(static one => one.IsItems);
        var raw = bound.FindAll(static one => one.IsRaw);
        var json = bound.FindAll(static one => one.IsJson);
        if (!CheckBody(bound, [.. items, .. raw, .. json, .. bound.Where(static one => one.Attached == "Stream")]))
        {
            return [];
        }

        if (items.Count > 0)
        {
            CheckItems(items, raw.Concat(json));
        }
        else if (raw.Count > 0)
        {
            CheckRaw(raw, json);
        }
        else if (acceptsGet)
        {
            foreach (var one in json.Where(static one => one.Marked is null))
            {
                var mark = one.Symbol.Symbol is IParameterSymbol parameter && ParameterGroups.CanBe(parameter) ? " or mark it [AsParameters]" : "";
                refuse(one.Symbol, $"it needs JSON in the request's body, and GET has none; take its members as parameters{mark}, or replace [Get] by [Post]");
            }
        }

        return bound.ConvertAll(one => one.Attached ?? (one.IsItems ? "Items" : one.IsRaw ? "Raw" : json.Count == 1 && json[0] == one ? "Body" : one.Marked ?? "Value")).ToArray();
    }

    // What attributes choose as the body: one parameter, or the values of a form.
    private bool CheckBody(List<BoundParameter> bound, List<BoundParameter> whole)
    {
        var refused = new List<(BoundParameter Parameter, string Reason)>();
        foreach (var one in bound.Where(one => acceptsGet && (one.Marked is "Body" or "Form" || one.Attached is not null)))
        {
            refused.Add((one, one.Marked is null
                ? "it needs the request's body, and GET has none; replace [Get] by [Post] or [Put]"
                : $"it is marked [From{one.Marked}], and a GET request has no body; remove the attribute, or replace [Get] by [Post]"));
        }

        if (bound.Find(static one => one.Attached == "Stream") is { } stream)
        {
            foreach (var one in whole.Where(one => one != stream).Concat(bound.Where(static one => one.IsForm)))
            {
                refused.Add((one, $"it needs the request's body, which is '{stream.Symbol.Name}'; take only what a path, a query or a header can contain beside it"));
            }
        }
        else if (bound.Find(static one => one.Marked == "Body") is { } body)
        {
            foreach (var one in whole.Where(one => one != body && (one.IsJson || one.Marked == "Body")))
            {
                refused.Add((one, $"'{body.Symbol.Name}' is the request's body already; take a record with both"));
            }
        }

        if (bound.Find(static one => one.IsForm) is { } form)
        {
            foreach (var one in whole.Where(static one => one.Attached is null))
            {
                refused.Add((one, $"it is the request's body, which is a form because of '{form.Symbol.Name}'; take only numbers, text and lists of them beside it"));
            }
        }

        // One reason for a parameter is enough.
        foreach (var (parameter, reason) in refused.GroupBy(static one => one.Parameter).Select(static group => group.First()))
        {
            refuse(parameter.Symbol, reason);
        }

        return refused.Count == 0;
    }

    private void CheckItems(List<BoundParameter> items, IEnumerable<BoundParameter> others)
    {
        var symbol = items[0].Symbol;
        if (TypeNames.IsNullable(symbol.Type) || symbol.HasDefault)
        {
            refuse(symbol, "its items are the request's body, which always exists and may be empty; remove the '?' and the default");
        }

        if (acceptsGet)
        {
            refuse(symbol, "its items are the request's body, and GET has none; remove [Get]");
        }

        foreach (var one in items.Skip(1))
        {
            refuse(one.Symbol, $"'{symbol.Name}' is the request's body already; take one sequence, of a record with both");
        }

        foreach (var one in others)
        {
            refuse(one.Symbol, $"it needs the request's body, which is the items of '{symbol.Name}'; take only what a query can contain: text, numbers, and lists of them");
        }
    }

    private void CheckRaw(List<BoundParameter> raw, List<BoundParameter> json)
    {
        var name = raw[0].Symbol.Name;
        foreach (var one in raw.Skip(1))
        {
            refuse(one.Symbol, $"'{name}' is the request's body already; take one parameter of bytes, or a record with both");
        }

        foreach (var one in json)
        {
            refuse(one.Symbol, $"it needs JSON in the request's body, which is '{name}'; take a record with both");
        }
    }
}
