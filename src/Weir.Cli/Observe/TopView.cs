namespace Weir.Cli.Observe;

/// <summary>What <c>weir top</c> shows, as its keys have set it. Immutable.</summary>
internal sealed record TopView
{
    /// <summary>What the keys do, for <c>?</c>.</summary>
    public const string Keys = "1 all · 2 pools · 3 calls · 4 operations · 5 jobs · s sort: default, calls, p95, failed · p freeze, continue · ? keys · q end";

    // As the dashboard calls them.
    private static readonly string[] Views = ["all", "pools", "calls", "operations", "jobs"];
    private static readonly string[] Orders = ["default", "calls", "p95", "failed"];

    private int View { get; init; }

    private int Order { get; init; }

    /// <summary>Whether what was shown last stays.</summary>
    public bool IsFrozen { get; init; }

    /// <summary>Whether the keys are listed.</summary>
    public bool ShowsKeys { get; init; }

    /// <summary>What the dashboard is asked for.</summary>
    public string Request => (View, Order) is (0, 0) ? "ps" : $"ps?view={Views[View]}&sort={Orders[Order]}";

    /// <summary>The lines above it: which view and order it is, where they were chosen, that it is frozen, and the keys.</summary>
    public IEnumerable<string> Notes()
    {
        if (IsFrozen)
        {
            yield return "Frozen: p continues, q ends.";
        }

        if ((View, Order) is not (0, 0))
        {
            yield return $"{Views[View]}, by {Orders[Order]}. ? lists the keys.";
        }

        if (ShowsKeys)
        {
            yield return Keys;
        }
    }

    /// <summary>What a key makes of it; the same object where it means nothing.</summary>
    public TopView Press(char key) => key switch
    {
        >= '1' and <= '5' => this with { View = key - '1' },
        's' => this with { Order = (Order + 1) % Orders.Length },
        'p' => this with { IsFrozen = !IsFrozen },
        '?' => this with { ShowsKeys = !ShowsKeys },
        _ => this,
    };
}
