namespace Weir;

/// <summary>
/// A client was built for another contract than the server has, and the difference matters: the operation is gone, or sends or receives something
/// else. Nothing was run, unless <see cref="HasRun"/> says so. Build the client against the contract of the server. Additions on the server's side are
/// no such difference.
/// </summary>
public sealed class ContractChangedException : WeirException
{
    /// <summary>Describes a difference.</summary>
    /// <param name="operation">The operation: <c>Orders/Find</c>.</param>
    /// <param name="changes">What differs, each as a sentence without a full stop.</param>
    /// <param name="isMissing">Whether the server does not have the operation at all.</param>
    /// <param name="hasRun">Whether the server may have run the operation.</param>
    public ContractChangedException(string operation, IReadOnlyList<string> changes, bool isMissing = false, bool hasRun = false)
        : base(
            CallStatus.BadRequest, WeirCodes.ContractChanged,
            $"{operation} is not what this client was built for: {string.Join("; ", changes)}. {(hasRun ? "The server may have run it; its result is not used. " : "")}Build the client against the contract of the server.")
    {
        HasRun = hasRun;
        Operation = operation;
        Changes = changes;
        IsMissing = isMissing;
    }

    /// <summary>The operation: <c>Orders/Find</c>.</summary>
    public string Operation { get; }

    /// <summary>What differs, each as a sentence without a full stop: <c>the parameter 'count' is gone</c>.</summary>
    public IReadOnlyList<string> Changes { get; }

    /// <summary>Whether the server does not have the operation at all, at the path where the client calls it.</summary>
    public bool IsMissing { get; }

    /// <summary>
    /// Whether the server may have run the operation: the client learned of the difference by the answer, because the body could be sent once only, or
    /// because a cache answered. The result is not used.
    /// </summary>
    public bool HasRun { get; }
}
