namespace Weir.Cli.Fetch;

/// <summary>What <c>weir fetch</c> was asked to do.</summary>
internal sealed record FetchSettings
{
    /// <summary>The addresses on the command line.</summary>
    public required IReadOnlyList<string> Addresses { get; init; }

    /// <summary>A file with one address a line, <c>-</c> for standard input, <c>null</c> for none.</summary>
    public string? Input { get; init; }

    /// <summary>The most requests in flight.</summary>
    public int Max { get; init; } = 50;

    /// <summary>The most requests in flight to one host.</summary>
    public int? PerHost { get; init; }

    /// <summary>How long one request may take until its body is read.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(100);

    /// <summary>The folder for the bodies.</summary>
    public string? Output { get; init; }

    /// <summary>The journal to continue, or to begin.</summary>
    public string? Resume { get; init; }

    /// <summary>Any certificate is accepted.</summary>
    public bool IsInsecure { get; init; }

    /// <summary>JSON lines also on a terminal.</summary>
    public bool Json { get; init; }
}
