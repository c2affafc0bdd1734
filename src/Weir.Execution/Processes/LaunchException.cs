namespace Weir.Execution.Processes;

/// <summary>A worker process could not be started; the pool completes the calls that wait for the worker with this error.</summary>
/// <param name="code">A constant of <see cref="WeirCodes"/>.</param>
/// <param name="message">What failed, and the next step.</param>
internal sealed class LaunchException(string code, string message) : Exception(message)
{
    /// <summary>A constant of <see cref="WeirCodes"/>.</summary>
    public string Code { get; } = code;
}
