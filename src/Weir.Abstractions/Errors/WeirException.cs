namespace Weir;

/// <summary>The base of all exceptions that Weir throws to a caller; each derived class stands for one outcome of a call.</summary>
public abstract class WeirException : Exception
{
    private protected WeirException(CallStatus status, string code, string message, Exception? inner = null)
        : base(message, inner)
    {
        Status = status;
        Code = code;
    }

    /// <summary>The call's outcome.</summary>
    public CallStatus Status { get; }

    /// <summary>The stable number of the problem, a constant of <see cref="WeirCodes"/>.</summary>
    public string Code { get; }

    /// <summary>What the server answered, where a client over HTTP threw this; <c>null</c> elsewhere.</summary>
    public RemoteProblem? Problem { get; internal set; }
}
