namespace Weir.Execution.Processes;

/// <summary>What a launcher needs to know to start one worker process.</summary>
internal sealed class LaunchRequest
{
    /// <summary>Absolute path of the executable.</summary>
    public required string FileName { get; init; }

    /// <summary>The arguments after the name of the program. Visible to every user of the machine: never a secret.</summary>
    public required IReadOnlyList<string> Arguments { get; init; }

    /// <summary>The whole environment of the worker; it inherits no other variable.</summary>
    public required IReadOnlyDictionary<string, string> Environment { get; init; }

    /// <summary>The worker's working directory; <c>null</c> is the host's own.</summary>
    public string? WorkingDirectory { get; init; }

    /// <summary>What is applied from outside before the launcher returns.</summary>
    public WorkerLimits Limits { get; init; } = WorkerLimits.None;

    /// <summary>What it maps: descriptors from 6 on, in this order, where they are sealed memory. Stays open until the worker is spawned.</summary>
    public IReadOnlyList<SharedDataFile> SharedData { get; init; } = [];

    /// <summary>Receives every line of the worker's stdout and stderr.</summary>
    public required IOutputSink Output { get; init; }
}
