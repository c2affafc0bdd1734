using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>A call as the generator writes one: its argument comes back as its result.</summary>
internal sealed class NumberCall(Operation operation) : Call<int>(operation)
{
    public object? Argument { get; set; }

    /// <summary>An operation of its own, so that no other test rents its calls.</summary>
    public static Operation NewOperation()
    {
        var operation = new Operation
        {
            Name = "Number",
            Verbs = Verbs.Post,
            ResultKind = ResultKind.Value,
            IsSynchronous = true,
            HasPlainArguments = true,
            Signature = 1,
            CreateCall = static operation => new NumberCall(operation),
        };
        _ = new Service { Name = "Some", TypeName = "Some", CreateInstance = static _ => new object(), IsShared = true, Operations = [operation] };
        return operation;
    }

    public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

    public override void WriteArguments(ArgumentWriter writer)
    {
    }

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
    {
        Value = (int)Argument!;
        return default;
    }

    protected override void ClearArguments() => Argument = null;

    protected override void Encode(PayloadWriter output, int value, ResultEncoding encoding) =>
        Scalars.Int32.Write(output, value);

    protected override int Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.Read(payload, Scalars.Int32);
}
