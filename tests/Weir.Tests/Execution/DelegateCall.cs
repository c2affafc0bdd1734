using System.Text.Json;
using Weir.Runtime;

namespace Weir.Tests.Execution;

/// <summary>A call whose method is a delegate.</summary>
internal sealed class DelegateCall(Operation operation, Func<CancellationToken, int> run) : Call<int>(operation)
{
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

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
    {
        Value = run(cancellationToken);
        return default;
    }

    protected override void Encode(PayloadWriter output, int value, ResultEncoding encoding)
    {
        output.BeginJson().WriteNumberValue(value);
        output.EndJson();
    }

    protected override int Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => JsonSerializer.Deserialize<int>(payload);
}
