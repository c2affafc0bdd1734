namespace Weir.Cli.Jobs;

/// <summary>An answer of the server cannot be had, or not be used. Its message is all that is printed.</summary>
/// <param name="message">What happened, with the address.</param>
/// <param name="isPassing">Whether the same request may succeed later: nothing answered.</param>
/// <param name="cause">What went wrong.</param>
internal sealed class JobsException(string message, bool isPassing = false, Exception? cause = null) : Exception(message, cause)
{
    /// <summary>Whether the same request may succeed later.</summary>
    public bool IsPassing => isPassing;
}
