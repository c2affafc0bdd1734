using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>READY: the worker accepts calls. Operations are numbered by their index in its table.</summary>
/// <remarks>
/// <code>
///  0   u16   protocol version chosen
///  2   u16   reserved, 0
///  4   u32   capabilities chosen
///  8   u32   largest payload the worker reads
///  12  i32   process id
///  16  text  catalog identity; empty when there is none
///  ·   u32   operations, each:
///              text  name, Service/Operation
///              u64   signature hash
///  ·   …     later versions
/// </code>
/// With the flag FAILED the payload is a <see cref="StartFailure"/>.
/// </remarks>
internal sealed class ReadyPayload
{
    internal const int LeastSize = PayloadSizes.Ready;

    /// <summary>The version that both sides use from now on.</summary>
    public int Version { get; init; } = ProtocolVersion.Highest;

    /// <summary>What both sides use, a subset of what HELLO offered.</summary>
    public Capabilities Capabilities { get; init; }

    /// <summary>The largest payload the worker reads, in bytes; default 64 MB.</summary>
    public int MostPayload { get; init; } = FrameReader.DefaultMostPayload;

    /// <summary>The worker's process id.</summary>
    public int ProcessId { get; init; }

    /// <summary>The identity of the compiled catalog the worker runs; empty when it has none.</summary>
    public string CatalogIdentity { get; init; } = "";

    /// <summary>The operations; a CALL names one by its index. At most 65,536.</summary>
    public IReadOnlyList<OperationEntry> Operations { get; init; } = [];

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <exception cref="PayloadTooLongException">The table is longer than 1 MB.</exception>
    public void Write(FrameWriter frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Operations.Count, ushort.MaxValue + 1, nameof(Operations));
        frame.Begin(FrameType.Ready, 0);
        var fields = new FieldWriter(frame);
        fields.U16(checked((ushort)Version));
        fields.U16(0);
        fields.U32((uint)Capabilities);
        fields.U32((uint)MostPayload);
        fields.I32(ProcessId);
        fields.Text(CatalogIdentity);
        fields.U32((uint)Operations.Count);
        foreach (var operation in Operations)
        {
            fields.Text(operation.Name);
            fields.U64(operation.SignatureHash);
        }

        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a READY without the flag FAILED.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static ReadyPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Ready, payload);
        int version = fields.U16();
        fields.Zero(fields.U16(), "word 2");
        var capabilities = (Capabilities)fields.U32();
        var mostPayload = (int)Math.Min(fields.U32(), int.MaxValue);
        var processId = fields.I32();
        var identity = fields.Text();
        var operations = new OperationEntry[fields.Count(fields.U32(), 12)];
        if (operations.Length > ushort.MaxValue + 1)
        {
            throw fields.Malformed($"{operations.Length} operations");
        }

        for (var i = 0; i < operations.Length; i++)
        {
            operations[i] = new OperationEntry(fields.Text(), fields.U64());
        }

        return new ReadyPayload
        {
            Version = version,
            Capabilities = capabilities,
            MostPayload = mostPayload,
            ProcessId = processId,
            CatalogIdentity = identity,
            Operations = operations,
        };
    }
}

/// <summary>One operation a worker serves.</summary>
/// <param name="Name"><c>Service/Operation</c>, as written in the source.</param>
/// <param name="SignatureHash">A hash of the parameters and the result; two builds that differ in it cannot call each other.</param>
internal sealed record OperationEntry(string Name, ulong SignatureHash);
