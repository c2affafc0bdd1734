namespace Weir;

/// <summary>The operation threw inside a worker process; this carries the type, message and stack trace of that exception.</summary>
public sealed class RemoteException : WeirException
{
    /// <summary>Carries a failure back from a worker.</summary>
    /// <param name="typeName">The full name of the type that was thrown.</param>
    /// <param name="message">Its message.</param>
    /// <param name="remoteStackTrace">Its stack trace, as text; <c>null</c> when the worker sent none.</param>
    /// <param name="pool">The pool.</param>
    /// <param name="processId">The worker's process id.</param>
    public RemoteException(string typeName, string message, string? remoteStackTrace, string pool, int processId)
        : base(CallStatus.HandlerFailed, WeirCodes.HandlerFailed, message)
    {
        TypeName = typeName;
        RemoteStackTrace = remoteStackTrace;
        Pool = pool;
        ProcessId = processId;
    }

    /// <summary>The full name of the type that was thrown.</summary>
    public string TypeName { get; }

    /// <summary>The stack trace inside the worker, as text; <c>null</c> when the worker sent none.</summary>
    public string? RemoteStackTrace { get; }

    /// <summary>The pool.</summary>
    public string Pool { get; }

    /// <summary>The worker's process id.</summary>
    public int ProcessId { get; }

    /// <inheritdoc/>
    public override string ToString() =>
        RemoteStackTrace is null
            ? base.ToString()
            : $"{TypeName}: {Message}\n{RemoteStackTrace}\n   --- worker {ProcessId} of pool {Pool} ---\n{StackTrace}";
}
