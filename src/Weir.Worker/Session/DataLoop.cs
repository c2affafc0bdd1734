using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Calls;
using Weir.Worker.Channels;
using Weir.Worker.Start;

namespace Weir.Worker.Session;

/// <summary>
/// The data thread: reads calls, runs those whose mode is inline and passes the others to other threads. Their results are sent
/// together, when no more frames are there.
/// </summary>
/// <param name="input">The data channel.</param>
/// <param name="table">The operations that a call may name.</param>
/// <param name="environment">Shared by all calls.</param>
/// <param name="agreed">The capabilities that READY chose.</param>
internal sealed class DataLoop(FrameSource input, WorkerTable table, CallServices environment, Capabilities agreed)
{
    // The longest time for which results stay unsent while more frames are there: nanoseconds.
    private const ulong MostHeld = 50_000;

    private readonly bool _concurrent = agreed.HasFlag(Capabilities.Concurrent);
    private readonly bool _takesItems = agreed.HasFlag(Capabilities.RequestStreams);

    /// <summary>Reads frames until the channel ends.</summary>
    /// <exception cref="FrameException">The host broke the protocol.</exception>
    /// <exception cref="ChannelEndedException">The host ended the channel during a send.</exception>
    public void Run()
    {
        environment.DataThread = Environment.CurrentManagedThreadId;
        var sentAt = 0UL;
        while (input.Receive())
        {
            environment.Calls.ReadClock();
            while (input.TryTake(out var frame))
            {
                OnFrame(frame);
            }

            // Send results together: when no more frames are there, or when the results have been kept too long.
            if (!input.HasMore || environment.Calls.ClockReading - sentAt > MostHeld)
            {
                environment.Output.Flush();
                sentAt = environment.Calls.ClockReading;
            }
        }
    }

    private void OnFrame(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Call:
                Start(frame);
                break;
            case FrameType.Credit:
                environment.Calls.Grant(frame.CallId, CreditPayload.Read(frame.Payload).Bytes);
                break;
            case FrameType.Item or FrameType.End or FrameType.Abort when _takesItems:
                environment.Calls.Receive(frame);
                break;
            default:
                throw NotAgreed(frame);
        }
    }

    // Step 6 of an isolated call (docs/architecture.md).
    private void Start(in Frame frame)
    {
        // 1. Find the operation, and the mode in which it runs.
        var call = CallPayload.Read(frame.Memory);
        if (call.Operation >= table.Operations.Count)
        {
            throw new FrameException(FrameError.MalformedPayload, $"call {frame.CallId} is for operation {call.Operation} of {table.Operations.Count}");
        }

        var target = table.Operations[call.Operation];
        if (target.Operation.StreamsRequest && !_takesItems)
        {
            throw NotAgreed(frame);
        }

        var run = environment.RentRun();
        run.Begin(frame.CallId, target, ModeOf(target.Operation), call, frame.Memory);

        // 2. Mark the call as started before user code runs: after a worker failure the host reads from the mark which calls have run.
        if (!environment.Calls.TryStart(run))
        {
            run.Drop();
            return;
        }

        if (!environment.Output.Outlives)
        {
            environment.Output.SendNow(new FrameHeader(FrameType.Started, FrameFlags.None, frame.CallId, 0), []);
        }

        // 3. Run. A call that continues elsewhere keeps the buffer of its arguments; results of earlier calls must not wait for it.
        if (!run.Start())
        {
            run.Keep(input.Detach());
            environment.Output.Flush();
        }
    }

    private CallMode ModeOf(Operation operation) => operation switch
    {
        { IsSynchronous: true, ResultKind: ResultKind.Stream or ResultKind.Raw } or { IsSynchronous: true, StreamsRequest: true } => CallMode.OwnThread,
        { ResultKind: not (ResultKind.Stream or ResultKind.Raw), StreamsRequest: false } when !_concurrent => CallMode.Inline,
        _ => CallMode.Pumped,
    };

    private static FrameException NotAgreed(in Frame frame) =>
        new(FrameError.UnexpectedFrame, $"{frame.Type} of call {frame.CallId}: streamed requests were not agreed on");
}
