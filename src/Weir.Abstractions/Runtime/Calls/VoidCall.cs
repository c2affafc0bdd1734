using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>A call of an operation without a result.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class VoidCall : Call
{
    /// <summary>A call of an operation.</summary>
    /// <param name="operation">The operation.</param>
    protected VoidCall(Operation operation)
        : base(operation)
    {
    }

    /// <inheritdoc/>
    public sealed override object? Result
    {
        get => null;
        set
        {
            if (value is not null)
            {
                throw new InvalidCastException($"{Operation} has no result.");
            }
        }
    }

    /// <inheritdoc/>
    public sealed override void WriteResult(PayloadWriter output, ResultEncoding encoding)
    {
    }

    /// <inheritdoc/>
    public sealed override void SetEncodedResult(ReadOnlySpan<byte> payload, ResultEncoding encoding)
    {
    }
}
