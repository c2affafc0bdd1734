using Weir.Protocol.Payloads;

namespace Weir.Protocol.Frames;

/// <summary>
/// Every frame of the protocol and its number on the wire. Numbers are never reused; 19 was used before, 0 is never sent.
/// 1 to 15 belong to the data channel, 16 and up to the control channel.
/// </summary>
internal enum FrameType : byte
{
    /// <summary>Host to worker: run an operation. <see cref="CallPayload"/>.</summary>
    Call = 1,

    /// <summary>One item: of a streamed result (up) or of a streamed request (down). The payload is the item.</summary>
    Item = 2,

    /// <summary>Host to worker: the streamed request is complete. No payload.</summary>
    End = 3,

    /// <summary>Host to worker: the streamed request failed. <see cref="AbortPayload"/>.</summary>
    Abort = 4,

    /// <summary>The receiver of a stream allows more bytes. <see cref="CreditPayload"/>.</summary>
    Credit = 5,

    /// <summary>Worker to host: the call's code is about to run. No payload.</summary>
    Started = 6,

    /// <summary>Worker to host: the call succeeded. The payload is the result.</summary>
    Result = 7,

    /// <summary>Worker to host: the call did not succeed. <see cref="ErrorPayload"/>.</summary>
    Error = 8,

    /// <summary>Host to worker, first: versions, identity, configuration. <see cref="HelloPayload"/>.</summary>
    Hello = 16,

    /// <summary>Worker to host: ready for calls (<see cref="ReadyPayload"/>), or not (<see cref="StartFailure"/>).</summary>
    Ready = 17,

    /// <summary>Host to worker: the call is cancelled, no caller waits for it any more. <see cref="CancelPayload"/>.</summary>
    Cancel = 18,

    /// <summary>Worker to host: these calls will not be started. <see cref="ReturnedPayload"/>.</summary>
    Returned = 20,

    /// <summary>Host to worker: answer with the same stamp. <see cref="PingPayload"/>.</summary>
    Ping = 21,

    /// <summary>Worker to host: the answer to <see cref="Ping"/>. <see cref="PingPayload"/>.</summary>
    Pong = 22,

    /// <summary>Host to worker: finish what has started, hand back the rest, exit. No payload; the id is the last one sent.</summary>
    Drain = 23,

    /// <summary>Worker to host: a log record. <see cref="LogPayload"/>.</summary>
    Log = 24,

    /// <summary>Worker to host, last: why the worker exits. <see cref="ByePayload"/>.</summary>
    Bye = 25,

    /// <summary>Host to worker: there is space again in the ring up of the shared memory. No payload.</summary>
    Space = 26,

    /// <summary>Worker to host: how far the job of a call is. <see cref="ProgressPayload"/>.</summary>
    Progress = 27,

    /// <summary>Host to worker, without a payload: where is the call? Worker to host: the stack of the thread that runs it, as text.</summary>
    Stack = 28,
}
