using System.Text.Json;
using Weir.Runtime;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Whole numbers as the items of a streamed request, as the generator writes it.</summary>
internal sealed class ProbeItems : ItemCodec<int>
{
    internal static ProbeItems Instance { get; } = new();

    public override void Write(PayloadWriter output, int item)
    {
        output.BeginJson().WriteNumberValue(item);
        output.EndJson();
    }

    protected override int Read(ref Utf8JsonReader reader, BindingErrorList errors) => JsonValues.Read(ref reader, errors, Scalars.Int32);
}
