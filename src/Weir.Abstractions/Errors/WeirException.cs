namespace Weir;

/// <summary>The base of everything Weir throws at a caller; each child says one ending of a call.</summary>
public abstract class WeirException : Exception
{
    private protected WeirException(CallStatus status, string code, string message, Exception? inner = null)
        : base(message, inner)
    {
        Status = status;
        Code = code;
    }

    /// <summary>The call's ending.</summary>
    public CallStatus Status { get; }

    /// <summary>The stable number of the problem, a constant of <see cref="WeirCodes"/>.</summary>
    public string Code { get; }
}
