namespace Weir;

/// <summary>
/// One call of one operation: its arguments, then its result. The generator writes a class per operation; doors bind or
/// set the arguments, an executor runs it, the door writes the result. Used by one flow at a time.
/// </summary>
public abstract class Call
{
    /// <summary>A call of an operation.</summary>
    /// <param name="operation">The operation.</param>
    protected Call(Operation operation) => Operation = operation;

    /// <summary>The operation.</summary>
    public Operation Operation { get; }

    /// <summary>What filters and the method see of the call; set by whoever runs it, where something needs it.</summary>
    public OperationContext? Context { get; set; }

    /// <summary>The result, boxed: <c>null</c> for nothing, and for a stream. For filters; setting it replaces the result.</summary>
    /// <exception cref="InvalidCastException">The value is not of the operation's result type.</exception>
    public abstract object? Result { get; set; }

    /// <summary>Whether the result is null. Unlike <see cref="Result"/> it boxes nothing.</summary>
    public virtual bool IsResultNull => false;

    /// <summary>Fills the arguments; what is wrong stands in the reader's faults afterwards.</summary>
    /// <param name="reader">All arguments.</param>
    public abstract void Bind(ArgumentReader reader);

    /// <summary>Writes the arguments for a worker.</summary>
    /// <param name="writer">Empty.</param>
    public abstract void WriteArguments(ArgumentWriter writer);

    /// <summary>Runs the method. Afterwards the result, or the stream's source, is in this call.</summary>
    /// <param name="service">An instance of the served class.</param>
    /// <param name="cancellationToken">Fires when the caller leaves or the deadline passes.</param>
    public abstract ValueTask InvokeAsync(object service, CancellationToken cancellationToken);

    /// <summary>Writes the result.</summary>
    /// <param name="output">Takes the bytes, appended.</param>
    /// <param name="encoding"><see cref="ResultEncoding.Raw"/> only for text and bytes.</param>
    public abstract void WriteResult(PayloadWriter output, ResultEncoding encoding);

    /// <summary>Takes the result as a worker encoded it; it is decoded only when somebody reads it.</summary>
    /// <param name="payload">Copied.</param>
    /// <param name="encoding">How it is encoded.</param>
    public abstract void SetEncodedResult(ReadOnlySpan<byte> payload, ResultEncoding encoding);
}
