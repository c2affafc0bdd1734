using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>ERROR: the call did not succeed. What follows the kind depends on it.</summary>
/// <remarks>
/// <code>
///  0  u8  kind
///  1  HandlerFailed    text type, text message, text stack (empty: none)
///     OperationStatus  u16 status, u8 has content (0, 1), text content, u16 headers × (text name, text value)
///     BadArguments     u16 binding errors × (text name, text source, text reason, text expected)
///     PayloadTooLarge  u64 length, u64 limit
///     Cancelled, DeadlineExceeded, OutOfMemory: nothing
/// </code>
/// </remarks>
internal sealed class ErrorPayload
{
    /// <summary>Longer messages are cut here, in UTF-16 units: 32,768.</summary>
    public const int MostMessage = 32 << 10;

    /// <summary>Longer stack traces are cut here, in UTF-16 units: 65,536.</summary>
    public const int MostStack = 64 << 10;

    /// <summary>Longer names are cut here, in UTF-16 units: 1,024.</summary>
    public const int MostName = 1 << 10;

    /// <summary>The most binding errors that are sent: 256. More would not help the caller.</summary>
    public const int MostErrors = 256;

    private ErrorPayload(ErrorKind kind) => Kind = kind;

    /// <summary>Why the call did not succeed.</summary>
    public ErrorKind Kind { get; }

    /// <summary>HandlerFailed: the full name of what was thrown.</summary>
    public string TypeName { get; private init; } = "";

    /// <summary>HandlerFailed: its message. OperationStatus: the content, or empty.</summary>
    public string Message { get; private init; } = "";

    /// <summary>HandlerFailed: its stack trace; <c>null</c> for none.</summary>
    public string? Stack { get; private init; }

    /// <summary>OperationStatus: the HTTP status.</summary>
    public int Status { get; private init; }

    /// <summary>OperationStatus: whether there is content; it may be empty.</summary>
    public bool HasContent { get; private init; }

    /// <summary>OperationStatus: the headers to add.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Headers { get; private init; } = [];

    /// <summary>BadArguments: the binding errors.</summary>
    public IReadOnlyList<BindingError> BindingErrors { get; private init; } = [];

    /// <summary>PayloadTooLarge: the length of the result in bytes.</summary>
    public ulong Length { get; private init; }

    /// <summary>PayloadTooLarge: the limit in bytes.</summary>
    public ulong Limit { get; private init; }

    /// <summary>Appends: the operation threw.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    /// <param name="typeName">The full name of what was thrown.</param>
    /// <param name="message">Its message.</param>
    /// <param name="stack">Its stack trace; <c>null</c> for none.</param>
    public static void WriteHandlerFailed(FrameWriter frame, ulong callId, string typeName, string message, string? stack)
    {
        var fields = Begin(frame, callId, ErrorKind.HandlerFailed);
        fields.Text(typeName, MostName);
        fields.Text(message, MostMessage);
        fields.Text(stack, MostStack);
        frame.End();
    }

    /// <summary>Appends: the operation chose a status.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    /// <param name="status">What was chosen.</param>
    /// <exception cref="PayloadTooLongException">Content and headers are longer than 1 MB; nothing of it was sent.</exception>
    public static void WriteStatus(FrameWriter frame, ulong callId, OperationStatusException status)
    {
        ArgumentNullException.ThrowIfNull(status);
        var fields = Begin(frame, callId, ErrorKind.OperationStatus);
        fields.U16((ushort)status.StatusCode);
        fields.U8(status.Content is null ? (byte)0 : (byte)1);
        fields.Text(status.Content);
        fields.U16(checked((ushort)(status.Headers?.Count ?? 0)));
        if (status.Headers is not null)
        {
            foreach (var (name, value) in status.Headers)
            {
                fields.Text(name);
                fields.Text(value);
            }
        }

        frame.End();
    }

    /// <summary>Appends: the arguments cannot be bound.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    /// <param name="errors">The binding errors; the first 256 are sent.</param>
    public static void WriteBadArguments(FrameWriter frame, ulong callId, IReadOnlyList<BindingError> errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        var fields = Begin(frame, callId, ErrorKind.BadArguments);
        var count = Math.Min(errors.Count, MostErrors);
        fields.U16((ushort)count);
        for (var i = 0; i < count; i++)
        {
            fields.Text(errors[i].Name, MostName / 4);
            fields.Text(errors[i].Source, MostName / 4);
            fields.Text(errors[i].Reason, MostName / 4);
            fields.Text(errors[i].Expected, MostName / 4);
        }

        frame.End();
    }

    /// <summary>Appends: the result is longer than one frame may be.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    /// <param name="length">The result's bytes.</param>
    /// <param name="limit">The limit in bytes.</param>
    public static void WritePayloadTooLarge(FrameWriter frame, ulong callId, long length, long limit)
    {
        var fields = Begin(frame, callId, ErrorKind.PayloadTooLarge);
        fields.U64((ulong)length);
        fields.U64((ulong)limit);
        frame.End();
    }

    /// <summary>Appends an outcome without further fields.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    /// <param name="kind"><see cref="ErrorKind.Cancelled"/>, <see cref="ErrorKind.DeadlineExceeded"/> or <see cref="ErrorKind.OutOfMemory"/>.</param>
    public static void Write(FrameWriter frame, ulong callId, ErrorKind kind)
    {
        if (kind is not (ErrorKind.Cancelled or ErrorKind.DeadlineExceeded or ErrorKind.OutOfMemory))
        {
            throw new ArgumentOutOfRangeException(nameof(kind), kind, "This kind carries fields.");
        }

        Begin(frame, callId, kind);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of an ERROR.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static ErrorPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Error, payload);
        var kind = (ErrorKind)fields.U8();
        var error = kind switch
        {
            ErrorKind.HandlerFailed => ReadHandlerFailed(ref fields),
            ErrorKind.OperationStatus => ReadStatus(ref fields),
            ErrorKind.BadArguments => ReadBadArguments(ref fields),
            ErrorKind.PayloadTooLarge => new ErrorPayload(kind) { Length = fields.U64(), Limit = fields.U64() },
            ErrorKind.Cancelled or ErrorKind.DeadlineExceeded or ErrorKind.OutOfMemory => new ErrorPayload(kind),
            _ => throw fields.Malformed($"kind {(byte)kind} is not assigned"),
        };
        fields.Finish();
        return error;
    }

    private static FieldWriter Begin(FrameWriter frame, ulong callId, ErrorKind kind)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Error, callId);
        var fields = new FieldWriter(frame);
        fields.U8((byte)kind);
        return fields;
    }

    private static ErrorPayload ReadHandlerFailed(ref FieldReader fields)
    {
        string type = fields.Text(), message = fields.Text(), stack = fields.Text();
        return new ErrorPayload(ErrorKind.HandlerFailed) { TypeName = type, Message = message, Stack = stack.Length == 0 ? null : stack };
    }

    private static ErrorPayload ReadStatus(ref FieldReader fields)
    {
        int status = fields.U16();
        if (status is < 300 or > 599)
        {
            throw fields.Malformed($"status {status} is not 300 to 599");
        }

        var hasContent = fields.U8();
        if (hasContent > 1)
        {
            throw fields.Malformed($"byte 3 is {hasContent}, not 0 or 1");
        }

        var content = fields.Text();
        var headers = new KeyValuePair<string, string>[fields.Count(fields.U16(), 8)];
        for (var i = 0; i < headers.Length; i++)
        {
            headers[i] = new(fields.Text(), fields.Text());
        }

        return new ErrorPayload(ErrorKind.OperationStatus) { Status = status, HasContent = hasContent == 1, Message = content, Headers = headers };
    }

    private static ErrorPayload ReadBadArguments(ref FieldReader fields)
    {
        var errors = new BindingError[fields.Count(fields.U16(), 16)];
        for (var i = 0; i < errors.Length; i++)
        {
            errors[i] = new BindingError(fields.Text(), fields.Text(), fields.Text(), fields.Text());
        }

        return new ErrorPayload(ErrorKind.BadArguments) { BindingErrors = errors };
    }
}
