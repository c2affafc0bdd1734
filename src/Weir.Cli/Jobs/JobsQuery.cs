using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Which jobs are listed.</summary>
internal sealed record JobsQuery
{
    /// <summary>How many, if that is not given.</summary>
    public const int DefaultLimit = 100;

    private const int MostOfPage = 1000;

    /// <summary>Of this kind only.</summary>
    public string? Kind { get; init; }

    /// <summary>In this state only.</summary>
    public string? State { get; init; }

    /// <summary>With this key only.</summary>
    public string? Key { get; init; }

    /// <summary>Submitted before this one only.</summary>
    public Guid? Before { get; init; }

    /// <summary>At most so many.</summary>
    public int Limit { get; init; } = DefaultLimit;

    /// <summary>Reads a state as it was typed, in any case.</summary>
    /// <exception cref="InputException">There is none of this name.</exception>
    public static string StateOf(string typed) => JobView.States.FirstOrDefault(one => string.Equals(one, typed, StringComparison.OrdinalIgnoreCase))
        ?? throw new InputException($"--state is '{SafeText.Cut(typed, 200)}'; choose {string.Join(", ", JobView.States)}.");

    /// <summary>The query of a page.</summary>
    /// <param name="before">Where it begins: after this job; <c>null</c> for the first page.</param>
    /// <param name="left">How many jobs are still asked for.</param>
    public string Page(Guid? before, int left)
    {
        var parts = new List<string>();
        Add("kind", Kind);
        Add("state", State);
        Add("key", Key);
        Add("before", (before ?? Before)?.ToString("D"));
        Add("limit", Math.Min(left, MostOfPage).ToString(CultureInfo.InvariantCulture));
        return "?" + string.Join('&', parts);

        void Add(string name, string? value)
        {
            if (value is not null)
            {
                parts.Add($"{name}={Uri.EscapeDataString(value)}");
            }
        }
    }
}
