namespace Weir.Cli.Observe;

/// <summary>The dashboard does not answer, or not with what was asked for. Its message is all that is printed.</summary>
/// <param name="message">What happened, with the address and what may help.</param>
/// <param name="isPassing">Whether the same request may succeed later: nothing answered.</param>
/// <param name="cause">What went wrong.</param>
internal sealed class DashboardException(string message, bool isPassing = false, Exception? cause = null) : Exception(message, cause)
{
    /// <summary>Whether the same request may succeed later.</summary>
    public bool IsPassing => isPassing;
}
