namespace Weir.Cli.Jobs;

/// <summary>How the result of a job is asked for and printed.</summary>
internal sealed record JobResultForm
{
    /// <summary>What a result may be; JSON if it can be, where the contract is not known.</summary>
    public string Accept { get; init; } = "application/json, */*;q=0.5";

    /// <summary>Whether the contract says JSON.</summary>
    public bool MustBeJson { get; init; }

    /// <summary>Whether each item is a line, or an element of one array.</summary>
    public bool IsLines { get; init; }

    /// <summary>Nothing is made readable.</summary>
    public bool IsJson { get; init; }

    /// <summary>The most bytes of a JSON result, or of an item, in memory.</summary>
    public required int MostBytes { get; init; }

    /// <summary>Whether headers were given, which another command needs as well.</summary>
    public bool HasHeaders { get; init; }
}
