using Weir.Runtime;

namespace Weir.Protocol.Payloads;

/// <summary>What a CALL has besides its arguments.</summary>
/// <param name="Operation">The number of the operation in the table of READY.</param>
/// <param name="ResultEncoding">The requested encoding of the result.</param>
/// <param name="InitialCredit">The first credit for streamed items, in bytes; 0 for an operation that does not stream.</param>
/// <param name="RemainingMilliseconds">What is left of the deadline when the frame is written; -1 for none.</param>
/// <param name="TraceParent">The W3C <c>traceparent</c>, ASCII, at most 255 characters; <c>null</c> for none.</param>
/// <param name="TraceState">The W3C <c>tracestate</c>, ASCII, at most 8,192 characters; <c>null</c> for none.</param>
/// <param name="Context">What surrounds the call; <c>null</c> for nothing, and for a worker that did not choose it.</param>
/// <param name="Caller">A <see cref="CallerPayload"/>: who makes the call; <c>null</c> for nothing, and for a worker that did not choose it.</param>
internal readonly record struct CallFields(
    ushort Operation,
    ResultEncoding ResultEncoding = ResultEncoding.Json,
    uint InitialCredit = 0,
    long RemainingMilliseconds = -1,
    string? TraceParent = null,
    string? TraceState = null,
    CallContext? Context = null,
    byte[]? Caller = null);
