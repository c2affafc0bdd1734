using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Log;

namespace Weir.Worker.Calls;

/// <summary>Writes an exception as an ERROR frame.</summary>
internal static class CallFailure
{
    /// <summary>Appends the ERROR of a call.</summary>
    /// <param name="frames">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    /// <param name="failure">What was thrown; not out of memory.</param>
    /// <param name="stop">The call's cancellation, to distinguish a call that was cancelled from one that failed.</param>
    public static void Write(FrameWriter frames, ulong callId, Exception failure, CallCancellation stop)
    {
        try
        {
            WriteMatching(frames, callId, failure, stop);
        }
        catch (PayloadTooLongException tooLong)
        {
            ErrorPayload.WritePayloadTooLarge(frames, callId, tooLong.Length, tooLong.Limit);
        }
    }

    public static bool IsOutOfMemory(Exception failure)
    {
        for (var cause = failure; cause is not null; cause = cause.InnerException)
        {
            // InsufficientMemoryException comes from a check that is made before memory runs out.
            if (cause is OutOfMemoryException and not InsufficientMemoryException)
            {
                return true;
            }
        }

        return false;
    }

    private static void WriteMatching(FrameWriter frames, ulong callId, Exception failure, CallCancellation stop)
    {
        switch (failure)
        {
            case OperationCanceledException when stop.IsCancelled:
                ErrorPayload.Write(frames, callId, ErrorKind.Cancelled);
                break;
            case AbortedRequestException aborted when aborted.CallId == callId:
                // The host already knows why the items ended.
                ErrorPayload.Write(frames, callId, ErrorKind.Cancelled);
                break;
            case OperationStatusException status:
                ErrorPayload.WriteStatus(frames, callId, status);
                break;
            case BindingException binding:
                ErrorPayload.WriteBadArguments(frames, callId, binding.Errors);
                break;
            case PayloadTooLongException tooLong:
                ErrorPayload.WritePayloadTooLarge(frames, callId, tooLong.Length, tooLong.Limit);
                break;
            default:
                var text = ExceptionText.Of(failure);
                ErrorPayload.WriteHandlerFailed(frames, callId, text.TypeName, text.Message, text.Stack);
                break;
        }
    }
}
