using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>HELLO: the first frame that a worker reads. It carries what must not be in arguments or environment.</summary>
/// <remarks>
/// <code>
///  0   u16   lowest protocol version
///  2   u16   highest protocol version
///  4   u32   capabilities offered
///  8   u32   largest payload the host reads
///  12  u8    least log level, 0 Trace to 5 Critical, 6 none
///  13  u8    reserved, 0
///  14  u16   reserved, 0
///  16  text  catalog identity expected; empty accepts any
///  ·   text  pool name
///  ·   u32   configuration pairs, each: text key, text value
///  ·   u8    1: warm up before READY
///  ·   u8    reserved, 0
///  ·   u16   calls at a time, 1 or more
///  ·   u16   with SHARED DATA: how many entries, each: text name, u64 length, u64 generation, text path
///  ·   …     later versions
/// </code>
/// The three fields before the list may be missing together: then nothing is warmed up, and one call runs at a time.
/// </remarks>
internal sealed class HelloPayload
{
    internal const int LeastSize = PayloadSizes.Hello;

    // Two empty texts and two numbers.
    private const int LeastSharedData = 24;

    /// <summary>The lowest version that the host supports.</summary>
    public int MinVersion { get; init; } = ProtocolVersion.Lowest;

    /// <summary>The highest version that the host supports.</summary>
    public int MaxVersion { get; init; } = ProtocolVersion.Highest;

    /// <summary>What the host can do.</summary>
    public Capabilities Capabilities { get; init; }

    /// <summary>The largest payload the host reads, in bytes; default 64 MB.</summary>
    public int MostPayload { get; init; } = FrameReader.DefaultMostPayload;

    /// <summary>The least level of log records to send, 0 Trace to 5 Critical, 6 none; default 2, Information.</summary>
    public byte LeastLogLevel { get; init; } = 2;

    /// <summary>The identity of the compiled catalog the host runs; empty accepts any.</summary>
    public string CatalogIdentity { get; init; } = "";

    /// <summary>The pool the worker belongs to.</summary>
    public string Pool { get; init; } = "";

    /// <summary>The configuration chosen for the pool. May hold secrets.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Configuration { get; init; } = [];

    /// <summary>Whether services are warmed up before READY; default <c>false</c>.</summary>
    public bool WarmUp { get; init; }

    /// <summary>The most calls started and without an outcome at a time; more than one only with <see cref="Capabilities.Concurrent"/>. Default 1.</summary>
    public int CallsAtATime { get; init; } = 1;

    /// <summary>What the workers of the pool share, in the order of their descriptors; written and read only with <see cref="Capabilities.SharedData"/>. Default: nothing.</summary>
    public IReadOnlyList<SharedDataEntry> SharedData { get; init; } = [];

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <exception cref="PayloadTooLongException">The configuration is longer than 1 MB.</exception>
    public void Write(FrameWriter frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Hello, 0);
        var fields = new FieldWriter(frame);
        fields.U16(checked((ushort)MinVersion));
        fields.U16(checked((ushort)MaxVersion));
        fields.U32((uint)Capabilities);
        fields.U32((uint)MostPayload);
        fields.U8(LeastLogLevel);
        fields.U8(0);
        fields.U16(0);
        fields.Text(CatalogIdentity);
        fields.Text(Pool);
        fields.U32((uint)Configuration.Count);
        foreach (var (key, value) in Configuration)
        {
            fields.Text(key);
            fields.Text(value);
        }

        fields.U8(WarmUp ? (byte)1 : (byte)0);
        fields.U8(0);
        fields.U16(checked((ushort)CallsAtATime));
        if ((Capabilities & Capabilities.SharedData) != 0)
        {
            fields.U16(checked((ushort)SharedData.Count));
            foreach (var data in SharedData)
            {
                fields.Text(data.Name);
                fields.U64((ulong)data.Length);
                fields.U64((ulong)data.Generation);
                fields.Text(data.Path);
            }
        }

        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a HELLO.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static HelloPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Hello, payload);
        int min = fields.U16(), max = fields.U16();
        if (min > max)
        {
            throw fields.Malformed($"versions {min} to {max}");
        }

        var capabilities = (Capabilities)fields.U32();
        var mostPayload = (int)Math.Min(fields.U32(), int.MaxValue);
        var level = fields.U8();
        if (level > 6)
        {
            throw fields.Malformed($"log level {level} is not assigned");
        }

        fields.Zero(fields.U8(), "byte 13");
        fields.Zero(fields.U16(), "word 14");
        var identity = fields.Text();
        var pool = fields.Text();
        var pairs = new KeyValuePair<string, string>[fields.Count(fields.U32(), 8)];
        for (var i = 0; i < pairs.Length; i++)
        {
            pairs[i] = new(fields.Text(), fields.Text());
        }

        ReadConduct(ref fields, out var warmUp, out var callsAtATime);

        return new HelloPayload
        {
            MinVersion = min,
            MaxVersion = max,
            Capabilities = capabilities,
            MostPayload = mostPayload,
            LeastLogLevel = level,
            CatalogIdentity = identity,
            Pool = pool,
            Configuration = pairs,
            WarmUp = warmUp,
            CallsAtATime = callsAtATime,
            SharedData = (capabilities & Capabilities.SharedData) != 0 ? ReadSharedData(ref fields) : [],
        };
    }

    private static SharedDataEntry[] ReadSharedData(ref FieldReader fields)
    {
        var entries = new SharedDataEntry[fields.Count(fields.U16(), LeastSharedData)];
        for (var i = 0; i < entries.Length; i++)
        {
            var (name, length, generation) = (fields.Text(), fields.I64(), fields.I64());
            entries[i] = length >= 0 ? new SharedDataEntry(name, length, generation, fields.Text()) : throw fields.Malformed($"{(ulong)length} bytes of shared data");
        }

        return entries;
    }

    // The payload of an earlier build's host ends before these fields.
    private static void ReadConduct(ref FieldReader fields, out bool warmUp, out int callsAtATime)
    {
        warmUp = false;
        callsAtATime = 1;
        if (fields.Left == 0)
        {
            return;
        }

        var conduct = fields.U8();
        if (conduct > 1)
        {
            throw fields.Malformed($"{conduct} is neither 0 (no warm-up) nor 1 (warm-up)");
        }

        fields.Zero(fields.U8(), "the byte after it");
        warmUp = conduct == 1;
        callsAtATime = fields.U16();
        if (callsAtATime == 0)
        {
            throw fields.Malformed("0 calls at a time");
        }
    }
}
