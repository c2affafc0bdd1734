using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Weir.Protocol.Frames;
using Weir.Runtime;

namespace Weir.Protocol.Payloads;

/// <summary>The status and headers that an operation chose for its response: before its first ITEM, or its RESULT, with the flag HEAD.</summary>
/// <remarks>
/// <code>
///  0  u32  length of what follows
///  4  u16  status, 200 to 599; 0 for none
///  6  u16  headers × (text name, text value)
/// </code>
/// </remarks>
internal sealed class ResponseHead
{
    /// <summary>The maximum size in bytes, without the length field: 64 KB.</summary>
    public const int MostLength = 64 << 10;

    /// <summary>The least status that ends a response.</summary>
    public const int LeastStatus = 200;

    /// <summary>The greatest status.</summary>
    public const int MostStatus = 599;

    private const int LengthSize = 4;
    private const int FixedSize = 4;
    private const int LeastHeader = 8;

    private static readonly SearchValues<char> NameCharacters = SearchValues.Create("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    private ResponseHead(int? status, IReadOnlyList<KeyValuePair<string, string>> headers) => (Status, Headers) = (status, headers);

    /// <summary>The HTTP status; <c>null</c> for the default one.</summary>
    public int? Status { get; }

    /// <summary>The headers, in the order in which they were written.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Headers { get; }

    /// <summary>Appends a response head.</summary>
    /// <param name="output">Takes the bytes.</param>
    /// <param name="status">The status; <c>null</c> for the default one.</param>
    /// <param name="headers">The headers.</param>
    /// <exception cref="InvalidOperationException">The status or a header is not valid in a response, or it is too long. Nothing was appended.</exception>
    public static void Write(PayloadWriter output, int? status, ICollection<KeyValuePair<string, string>> headers)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(headers);
        if (status is < LeastStatus or > MostStatus)
        {
            throw new InvalidOperationException($"The status of the response is {status}; choose one from {LeastStatus} to {MostStatus}.");
        }

        long length = FixedSize;
        foreach (var (name, value) in headers)
        {
            if (!IsHeader(name, value))
            {
                throw new InvalidOperationException($"The header '{name}' is not allowed in a response: a name is a token, and a value has no control characters.");
            }

            length += LeastHeader + Encoding.UTF8.GetByteCount(name) + Encoding.UTF8.GetByteCount(value);
        }

        if (length > MostLength)
        {
            throw new InvalidOperationException($"The headers of the response take {length} bytes; the most that a worker sends are {MostLength}. Send less.");
        }

        var fields = output.GetSpan(LengthSize + FixedSize);
        BinaryPrimitives.WriteInt32LittleEndian(fields, (int)length);
        BinaryPrimitives.WriteUInt16LittleEndian(fields[LengthSize..], (ushort)(status ?? 0));
        BinaryPrimitives.WriteUInt16LittleEndian(fields[(LengthSize + 2)..], (ushort)headers.Count);
        output.Advance(LengthSize + FixedSize);
        foreach (var (name, value) in headers)
        {
            WriteText(output, name);
            WriteText(output, value);
        }
    }

    /// <summary>Reads the response head at the start of a payload.</summary>
    /// <param name="frame">The frame's type, for the exception.</param>
    /// <param name="payload">The payload of a frame with the flag HEAD.</param>
    /// <param name="length">How many bytes it takes there; the value follows.</param>
    /// <exception cref="FrameException">The payload does not begin with a valid one.</exception>
    public static ResponseHead Read(FrameType frame, ReadOnlySpan<byte> payload, out int length)
    {
        var outer = new FieldReader(frame, payload);
        var announced = outer.U32();
        if (announced > MostLength)
        {
            throw outer.Malformed($"a head of {announced} bytes, the limit is {MostLength}");
        }

        var fields = new FieldReader(frame, outer.Bytes(announced));
        var status = fields.U16();
        if (status is not (0 or (>= LeastStatus and <= MostStatus)))
        {
            throw fields.Malformed($"status {status}");
        }

        var headers = new KeyValuePair<string, string>[fields.Count(fields.U16(), LeastHeader)];
        foreach (ref var header in headers.AsSpan())
        {
            header = new(fields.Text(), fields.Text());
            if (!IsHeader(header.Key, header.Value))
            {
                throw fields.Malformed("a header that is not allowed in a response");
            }
        }

        fields.Finish();
        length = LengthSize + (int)announced;
        return new ResponseHead(status == 0 ? null : status, headers);
    }

    /// <summary>Sets what was read on the context of a call.</summary>
    /// <param name="context">The call's.</param>
    public void ApplyTo(OperationContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        context.StatusCode = Status ?? context.StatusCode;
        foreach (var (name, value) in Headers)
        {
            context.Headers[name] = value;
        }
    }

    private static bool IsHeader(string name, string? value) =>
        name.Length > 0 && !name.AsSpan().ContainsAnyExcept(NameCharacters) && value is not null && !value.AsSpan().ContainsAny('\0', '\r', '\n');

    private static void WriteText(PayloadWriter output, string text)
    {
        BinaryPrimitives.WriteInt32LittleEndian(output.GetSpan(LengthSize), Encoding.UTF8.GetByteCount(text));
        output.Advance(LengthSize);
        output.WriteText(text);
    }
}
