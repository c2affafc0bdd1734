namespace Weir.Execution.Observation;

/// <summary>What the outcome of a call is called, without anything that its exception says: texts may hold secrets.</summary>
internal static class CallOutcome
{
    /// <param name="failure">What the caller gets; <c>null</c> for a result.</param>
    public static CallStatus StatusOf(Exception? failure) => failure switch
    {
        null => CallStatus.Ok,
        WeirException error => error.Status,
        OperationCanceledException => CallStatus.Cancelled,
        _ => CallStatus.HandlerFailed,
    };

    /// <param name="failure">What the caller gets; <c>null</c> for a result.</param>
    /// <returns>The name of its type; <c>null</c> for a result.</returns>
    public static string? NameOf(Exception? failure) => failure?.GetType().Name;
}
