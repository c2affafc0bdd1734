using System.Globalization;
using Microsoft.AspNetCore.Http;
using Weir.Jobs.AspNetCore.Answers;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>The conditions of a query for jobs.</summary>
internal static class JobFilter
{
    private const int MostListed = 1_000;

    /// <summary>What says which jobs match.</summary>
    public static IReadOnlyList<string> Conditions { get; } = ["kind", "state", "key"];

    /// <summary>The same, and which page of them.</summary>
    public static IReadOnlyList<string> Page { get; } = [.. Conditions, "before", "limit"];

    /// <summary>Reads it.</summary>
    /// <param name="sent">The query of the request.</param>
    /// <param name="errors">Gets everything that is wrong in it.</param>
    /// <param name="names">What it may have.</param>
    public static JobQuery Read(IQueryCollection sent, List<BindingError> errors, IReadOnlyList<string> names)
    {
        var query = new JobQuery { Kind = Text("kind"), Key = Text("key") };
        if (Text("state") is { } state)
        {
            query = query with { State = JobJson.StateOf(state) };
            if (query.State is null)
            {
                Refuse("state", JobJson.States);
            }
        }

        if (Text("before") is { } before)
        {
            query = query with { Before = Guid.TryParseExact(before, "D", out var id) ? id : null };
            if (query.Before is null)
            {
                Refuse("before", "the id of a job");
            }
        }

        if (Text("limit") is { } limit)
        {
            query = query with { Limit = int.TryParse(limit, NumberStyles.None, CultureInfo.InvariantCulture, out var most) ? most : 0 };
            if (query.Limit is < 1 or > MostListed)
            {
                Refuse("limit", $"a whole number from 1 to {MostListed}");
            }
        }

        foreach (var name in sent.Keys.Where(name => !names.Contains(name)))
        {
            errors.Add(new BindingError(name, "query", BindingErrorReason.Unknown, $"{string.Join(", ", names.SkipLast(1))} or {names[^1]}"));
        }

        return query;

        string? Text(string name)
        {
            if (!sent.TryGetValue(name, out var values))
            {
                return null;
            }

            if (values.Count > 1)
            {
                errors.Add(new BindingError(name, "query", BindingErrorReason.Duplicate, "one value"));
            }

            return values is [{ Length: > 0 } text] ? text : null;
        }

        void Refuse(string name, string expected) => errors.Add(new BindingError(name, "query", BindingErrorReason.Invalid, expected));
    }
}
