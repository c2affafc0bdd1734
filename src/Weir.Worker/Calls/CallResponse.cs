using System.Diagnostics.CodeAnalysis;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Worker.Calls;

/// <summary>
/// Encodes the items and the outcome of one call at a time, on the call's own thread and under no lock, then adds them to the
/// output as whole frames.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Used until the process ends.")]
internal sealed class CallResponse(CallServices environment)
{
    /// <summary>A buffer that grew beyond this is not kept.</summary>
    private const int LargestKept = 1 << 20;

    private readonly PayloadWriter _value = new();

    // For errors, and for a value that cannot be added without waiting.
    private readonly FrameWriter _frames = new();
    private FrameFlags _flags;

    // Whether the call has sent an item: the head is sent with the first one or not at all.
    private bool _isBegun;

    /// <summary>Where an item is encoded; <see cref="SendItem"/> clears it.</summary>
    public PayloadWriter Item => _value;

    /// <summary>How many bytes in front of the item or result are the response's head.</summary>
    public int HeadLength { get; private set; }

    /// <summary>The longest payload that the host reads, in bytes.</summary>
    public int MostPayload => environment.Output.MostPayload;

    /// <summary>Encodes the result. It becomes the outcome only after the instance is disposed.</summary>
    public void Encode(Call call, ResultEncoding wished)
    {
        var operation = call.Operation;
        if (operation.ResultKind == ResultKind.None)
        {
            EncodeNothing(call.Context);
            return;
        }

        // Null has no raw form.
        EncodeHead(call.Context);
        var raw = wished == ResultEncoding.Raw
            && operation.ResultKind is ResultKind.Text or ResultKind.Bytes
            && !call.IsResultNull;
        call.WriteResult(_value, raw ? ResultEncoding.Raw : ResultEncoding.Json);
        _flags = raw ? FrameFlags.Raw : FrameFlags.None;
    }

    /// <summary>The call has no result, or had items instead.</summary>
    public void EncodeNothing(OperationContext? context)
    {
        _value.Clear();
        EncodeHead(context);
        _flags = FrameFlags.NoValue;
    }

    /// <summary>All of the content was sent. The head stays where there was nothing to send it with.</summary>
    public void EndContent() => _flags = FrameFlags.NoValue;

    /// <summary>Begins the first item or the result with the status and headers that the operation chose, if it chose any.</summary>
    /// <exception cref="InvalidOperationException">They are not valid in a response, or the host does not accept them.</exception>
    public void EncodeHead(OperationContext? context)
    {
        if (_isBegun || context is null || (context.StatusCode is null && !context.HasHeaders))
        {
            return;
        }

        EncodeHead(context.Operation, context.StatusCode, context.Headers);
    }

    /// <summary>Begins the first item or the result with a status and headers.</summary>
    /// <exception cref="InvalidOperationException">They are not valid in a response, or the host does not accept them.</exception>
    public void EncodeHead(Operation operation, int? status, ICollection<KeyValuePair<string, string>> headers)
    {
        if (!environment.SendsHeads)
        {
            throw new InvalidOperationException($"{operation} set a status or headers, but its host does not accept them from a worker; update the host.");
        }

        ResponseHead.Write(_value, status, headers);
        HeadLength = _value.Length;
    }

    /// <summary>Sends the item at once.</summary>
    /// <exception cref="PayloadTooLongException">It is too long.</exception>
    public void SendItem(ulong callId, ResultEncoding encoding = ResultEncoding.Json)
    {
        Add(FrameType.Item, callId, encoding == ResultEncoding.Raw ? FrameFlags.Raw : FrameFlags.None);
        environment.Output.Flush();
        _value.Clear();
        HeadLength = 0;
        _isBegun = true;
    }

    /// <summary>Adds the call's only outcome.</summary>
    public void End(ulong callId, Exception? failure, CallCancellation stop)
    {
        _frames.MostPayload = environment.Output.MostPayload;
        if (stop.IsPastDeadline)
        {
            ErrorPayload.Write(_frames, callId, ErrorKind.DeadlineExceeded);
        }
        else if (failure is not null)
        {
            CallFailure.Write(_frames, callId, failure, stop);
        }
        else
        {
            try
            {
                Add(FrameType.Result, callId, _flags);
                return;
            }
            catch (PayloadTooLongException tooLong)
            {
                ErrorPayload.WritePayloadTooLarge(_frames, callId, tooLong.Length, tooLong.Limit);
            }
        }

        environment.Output.Add(_frames);
    }

    /// <summary>Clears the state of the call.</summary>
    public void Clear()
    {
        _value.Clear();
        HeadLength = 0;
        _isBegun = false;
        if (_value.GetSpan().Length > LargestKept)
        {
            // The capacity counts, not the content: a stream has cleared the buffer after a large item.
            _value.Dispose();
        }
    }

    private void Add(FrameType type, ulong callId, FrameFlags flags)
    {
        flags |= HeadLength > 0 ? FrameFlags.Head : FrameFlags.None;
        var most = environment.Output.MostPayload;
        if (_value.Length <= most && environment.Output.TryAdd(new FrameHeader(type, flags, callId, _value.Length), _value.WrittenSpan))
        {
            return;
        }

        _frames.MostPayload = most;
        _frames.Begin(type, callId, flags);
        _frames.Borrow(_value.WrittenMemory);
        _frames.End();
        environment.Output.Add(_frames);
    }
}
