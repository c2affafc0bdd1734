namespace Weir;

/// <summary>The problem (RFC 9457) that a server answered a client with. Immutable; may be used concurrently.</summary>
public sealed class RemoteProblem
{
    /// <summary>Describes an answer.</summary>
    /// <param name="status">The HTTP status.</param>
    /// <param name="code">The stable number, a constant of <see cref="WeirCodes"/>; empty where another program than Weir answered.</param>
    /// <param name="title">What the code means; empty where the answer has none.</param>
    /// <param name="detail">What happened this time; empty where the answer has none.</param>
    /// <param name="bindingErrors">Everything that is wrong with the arguments; <c>null</c> for nothing.</param>
    public RemoteProblem(int status, string code, string title, string detail, IReadOnlyList<BindingError>? bindingErrors = null)
    {
        Status = status;
        Code = code;
        Title = title;
        Detail = detail;
        BindingErrors = bindingErrors ?? [];
    }

    /// <summary>The HTTP status.</summary>
    public int Status { get; }

    /// <summary>The stable number, a constant of <see cref="WeirCodes"/>; empty where another program than Weir answered, a proxy for example.</summary>
    public string Code { get; }

    /// <summary>What the code means; empty where the answer has none.</summary>
    public string Title { get; }

    /// <summary>What happened this time, and the next step; of an answer that is no problem, the beginning of its text. May be empty.</summary>
    public string Detail { get; }

    /// <summary>Everything that is wrong with the arguments; empty for other problems.</summary>
    public IReadOnlyList<BindingError> BindingErrors { get; }

    /// <summary>By which the server's log has the call; <c>null</c> where the answer has none.</summary>
    public string? TraceId { get; set; }

    /// <summary>The id of the crash report in the server's log; <c>null</c> unless a worker failed.</summary>
    public string? Report { get; set; }

    /// <summary>The full name of the exception's type, if the operation declares it by <see cref="ThrowsAttribute"/>; <c>null</c> otherwise.</summary>
    public string? Thrown { get; set; }

    /// <summary>When to try again; <c>null</c> where the answer does not say.</summary>
    public TimeSpan? RetryAfter { get; set; }

    /// <inheritdoc/>
    public override string ToString() => $"{Status} {Code} {Detail}";
}
