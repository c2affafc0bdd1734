using System.Buffers.Binary;
using Weir.Runtime;

namespace Weir.Tests.Fuzz;

/// <summary>A call whose argument identifies it, and whose result is the bytes that arrived.</summary>
internal sealed class FuzzedCall(ulong key) : Call<byte[]>(Run)
{
    public static Operation Run { get; } = new()
    {
        Name = "Run",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "hostile",
        ResultKind = ResultKind.Value,
        Signature = 0,
        CreateCall = static _ => new FuzzedCall(0),
    };

    static FuzzedCall() => _ = new Service { Name = "Test", TypeName = "Test", CreateInstance = static _ => new object(), Operations = [Run, FuzzedStream.Run] };

    public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

    public override void WriteArguments(ArgumentWriter writer) => Write(writer, key);

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();

    protected override void Encode(PayloadWriter output, byte[] value, ResultEncoding encoding) => throw new NotSupportedException();

    protected override byte[] Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => payload.ToArray();

    internal static void Write(ArgumentWriter writer, ulong key)
    {
        var bytes = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, key);
        writer.AddRaw(0, bytes);
    }
}

/// <summary>The same for a call with items.</summary>
internal sealed class FuzzedStream(ulong key) : StreamCall<byte[]>(Run)
{
    public static Operation Run { get; } = new()
    {
        Name = "Stream",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "hostile",
        ResultKind = ResultKind.Stream,
        Signature = 0,
        CreateCall = static _ => new FuzzedStream(0),
    };

    public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

    public override void WriteArguments(ArgumentWriter writer) => FuzzedCall.Write(writer, key);

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void WriteItem(PayloadWriter output, byte[] item) => throw new NotSupportedException();

    public override byte[] ReadItem(ReadOnlySpan<byte> item) => item.ToArray();
}
