using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Calls;
using Weir.Worker.Channels;
using Weir.Worker.Start;

namespace Weir.Worker.Session;

/// <summary>
/// The data thread: reads calls, runs what runs here and hands on the rest. What it has answered is sent when it has nothing more
/// to answer, all at once.
/// </summary>
/// <param name="input">The data channel.</param>
/// <param name="table">What a call may be for.</param>
/// <param name="environment">Shared by all calls.</param>
/// <param name="agreed">What READY chose.</param>
internal sealed class DataLoop(FrameSource input, WorkerTable table, CallServices environment, Capabilities agreed)
{
    // Answers are not kept for longer where there is more to do: nanoseconds.
    private const ulong MostHeld = 50_000;

    private readonly bool _concurrent = agreed.HasFlag(Capabilities.Concurrent);
    private readonly bool _takesItems = agreed.HasFlag(Capabilities.RequestStreams);

    /// <summary>Until the channel ends.</summary>
    /// <exception cref="FrameException">The host broke the protocol.</exception>
    /// <exception cref="ChannelEndedException">The host left while something was sent.</exception>
    public void Run()
    {
        environment.DataThread = Environment.CurrentManagedThreadId;
        var sentAt = 0UL;
        while (input.Receive())
        {
            environment.Calls.LookAtClock();
            while (input.TryTake(out var frame))
            {
                OnFrame(frame);
            }

            // 1. Together with what there is to answer already. 2. Unless it takes its time.
            if (!input.HasMore || environment.Calls.LookedAt - sentAt > MostHeld)
            {
                environment.Output.Flush();
                sentAt = environment.Calls.LookedAt;
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

    private void Start(in Frame frame)
    {
        // 1. Whose it is, and where it runs.
        var call = CallPayload.Read(frame.Memory);
        if (call.Operation >= table.Operations.Count)
        {
            throw new FrameException(FrameFault.MalformedPayload, $"call {frame.CallId} is for operation {call.Operation} of {table.Operations.Count}");
        }

        var target = table.Operations[call.Operation];
        if (target.Operation.StreamsRequest && !_takesItems)
        {
            throw NotAgreed(frame);
        }

        var run = environment.RentRun();
        run.Begin(frame.CallId, target, ModeOf(target.Operation), call, frame.Memory);

        // 2. It counts as started before any of the user's code runs: by this the host tells whom a death concerns.
        if (!environment.Calls.TryStart(run))
        {
            run.Drop();
            return;
        }

        if (!environment.Output.Outlives)
        {
            environment.Output.SendNow(new FrameHeader(FrameType.Started, FrameFlags.None, frame.CallId, 0), []);
        }

        // 3. Run. What was begun here and goes on elsewhere still refers to what was read, and does not keep what was finished before.
        if (!run.Start())
        {
            run.Keep(input.Detach());
            environment.Output.Flush();
        }
    }

    private CallMode ModeOf(Operation operation) => operation switch
    {
        { IsSynchronous: true, ResultKind: ResultKind.Stream } or { IsSynchronous: true, StreamsRequest: true } => CallMode.OwnThread,
        { ResultKind: not ResultKind.Stream, StreamsRequest: false } when !_concurrent => CallMode.Inline,
        _ => CallMode.Pumped,
    };

    private static FrameException NotAgreed(in Frame frame) =>
        new(FrameFault.UnexpectedFrame, $"{frame.Type} of call {frame.CallId}: streamed requests were not agreed on");
}
