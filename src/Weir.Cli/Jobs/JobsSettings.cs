namespace Weir.Cli.Jobs;

/// <summary>What every command of <c>weir jobs</c> was given, as it was typed.</summary>
internal sealed record JobsSettings
{
    /// <summary>The application.</summary>
    public required string Address { get; init; }

    /// <summary><c>Name: value</c>.</summary>
    public IReadOnlyList<string> Headers { get; init; } = [];

    /// <summary>The path of <c>MapWeirJobs</c>; <c>null</c> for the usual one.</summary>
    public string? Path { get; init; }

    /// <summary>What the server sent is printed, and nothing else.</summary>
    public bool IsJson { get; init; }
}
