namespace Weir;

/// <summary>The call was not started: a queue was full, the host was draining, or no worker could be started. It is safe to send it again.</summary>
/// <param name="code">A constant of <see cref="WeirCodes"/>.</param>
/// <param name="message">Names the limit, its value and the next step.</param>
/// <param name="retryAfter">When to try again; <c>null</c> when that is unknown.</param>
public sealed class CallRejectedException(string code, string message, TimeSpan? retryAfter = null)
    : WeirException(CallStatus.Rejected, code, message)
{
    /// <summary>When to try again; <c>null</c> when that is unknown. HTTP sends it as <c>Retry-After</c> in whole seconds.</summary>
    public TimeSpan? RetryAfter { get; } = retryAfter;
}
