namespace Weir.Execution.Inline;

/// <summary>The services of a pool that runs in the host cannot be made: the phase that failed, as a worker names it, and the exception that was thrown there.</summary>
internal sealed class InlineStartException(string phase, Exception cause) : Exception(phase, cause)
{
    public string Phase { get; } = phase;
}
