namespace Weir.Worker.Calls;

/// <summary>The caller's items failed, and the operation asked for the next one. To it that is input that broke off.</summary>
internal sealed class AbortedRequestException(ulong callId, string message)
    : IOException($"The caller's items ended early: {message}")
{
    /// <summary>Whose items they were: the call that gives up for that reason says so to its host.</summary>
    public ulong CallId => callId;
}
