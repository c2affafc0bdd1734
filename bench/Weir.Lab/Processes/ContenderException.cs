namespace Weir.Lab.Processes;

/// <summary>A contender said that it failed, or ended before it answered.</summary>
internal sealed class ContenderException(string message) : Exception(message)
{
    /// <summary>Whether its process is gone.</summary>
    public bool HasEnded { get; init; }
}
