using Weir.Protocol;
using Weir.Worker.Calls;
using Weir.Worker.Channels;
using Weir.Worker.Start;

namespace Weir.Worker.Session;

/// <summary>The data thread: reads calls, says STARTED, runs what is synchronous and hands on the rest.</summary>
internal sealed class DataLoop(FrameSource input, WorkerTable table, CallEnvironment environment, bool concurrent) : IDisposable
{
    private readonly FrameWriter _started = new();

    /// <summary>Until the channel ends.</summary>
    /// <exception cref="FrameException">The host broke the protocol.</exception>
    /// <exception cref="ChannelEndedException">The host left while STARTED was sent.</exception>
    public void Run()
    {
        while (input.TryNext(out var frame))
        {
            switch (frame.Type)
            {
                case FrameType.Call:
                    Start(frame);
                    break;
                case FrameType.Credit:
                    environment.Calls.Grant(frame.CallId, CreditPayload.Read(frame.Payload).Bytes);
                    break;
                default:
                    throw new FrameException(FrameFault.UnexpectedFrame, $"{frame.Type} of call {frame.CallId}: streamed requests were not agreed on");
            }
        }
    }

    public void Dispose() => _started.Dispose();

    private void Start(in Frame frame)
    {
        var call = CallPayload.Read(frame.Memory);
        if (call.Operation >= table.Operations.Count)
        {
            throw new FrameException(FrameFault.MalformedPayload, $"call {frame.CallId} is for operation {call.Operation} of {table.Operations.Count}");
        }

        var target = table.Operations[call.Operation];
        var run = new CallRun(environment, frame.CallId, target, ModeOf(target.Operation), call, frame.Memory);
        if (!environment.Calls.TryStart(run))
        {
            run.Drop();
            return;
        }

        // On the wire before any of the user's code runs: by this the host tells whom a death concerns.
        _started.Append(FrameType.Started, frame.CallId);
        environment.Output.Send(_started);
        run.Start();
    }

    private CallMode ModeOf(Operation operation) => operation switch
    {
        { IsSynchronous: true, ResultKind: ResultKind.Stream } => CallMode.OwnThread,
        { IsSynchronous: true } when !concurrent => CallMode.Inline,
        _ => CallMode.Pumped,
    };
}
