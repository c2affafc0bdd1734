namespace Weir.Worker.Calls;

/// <summary>The caller's items failed, and the operation asked for the next one: its input ended early.</summary>
internal sealed class AbortedRequestException(ulong callId, string message)
    : IOException($"The caller's items ended early: {message}")
{
    /// <summary>The call of the items: if this exception ends that same call, the call is reported as cancelled.</summary>
    public ulong CallId => callId;
}
