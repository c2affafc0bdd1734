using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>A call with a streamed request, as the generator writes one. The service is the method itself.</summary>
internal sealed class SumCall(Operation operation) : Call<int>(operation)
{
    internal delegate ValueTask<int> Method(IAsyncEnumerable<int> numbers, CancellationToken cancellationToken);

    public IAsyncEnumerable<int> Numbers { get; set; } = null!;

    /// <summary>An operation of its own, so that no other test rents its calls.</summary>
    public static Operation NewOperation()
    {
        var operation = new Operation
        {
            Name = "Sum",
            Verbs = Verbs.Post,
            ResultKind = ResultKind.Value,
            Parameters = [new Parameter("numbers", "IAsyncEnumerable<int>", ParameterSource.Items, false)],
            HasPlainArguments = true,
            Signature = 1,
            CreateCall = static operation => new SumCall(operation),
        };
        _ = new Service { Name = "Some", TypeName = "Some", CreateInstance = static _ => new object(), IsShared = true, Operations = [operation] };
        return operation;
    }

    public override void Bind(ArgumentReader reader)
    {
        while (reader.MoveNext())
        {
            reader.SkipUnknown();
        }
    }

    public override void WriteArguments(ArgumentWriter writer)
    {
    }

    public override void TakeItems(ItemReader items) => Numbers = NumberItems.Instance.Receive(items, "numbers");

    public override ItemSource OpenItems(CancellationToken cancellationToken) => NumberItems.Instance.Send(Numbers, cancellationToken);

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) =>
        Await(((Method)service)(Items(Numbers, cancellationToken), cancellationToken));

    protected override void ClearArguments() => Numbers = null!;

    protected override void Encode(PayloadWriter output, int value, ResultEncoding encoding) =>
        Scalars.Int32.Write(output, value);

    protected override int Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.Read(payload, Scalars.Int32);
}
