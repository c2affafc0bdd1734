namespace Weir.Cli.Jobs;

/// <summary>How the items of a job ended.</summary>
/// <param name="IsComplete">Whether all of them have arrived.</param>
/// <param name="Status">The status of the problem; 0 where it is none of the server.</param>
/// <param name="Problem">The problem, as it was sent.</param>
/// <param name="Reason">Why the items are not complete, where the server sent no problem.</param>
internal sealed record ItemsEnd(bool IsComplete, int Status, ReadOnlyMemory<byte> Problem, string? Reason)
{
    /// <summary>All of them have arrived.</summary>
    public static ItemsEnd Complete { get; } = new(true, 0, default, null);

    /// <summary>The server sent a problem.</summary>
    public static ItemsEnd Refused(int status, ReadOnlyMemory<byte> problem) => new(false, status, problem, null);

    /// <summary>They cannot be read to their end.</summary>
    public static ItemsEnd Broken(string reason) => new(false, 0, default, reason);
}
