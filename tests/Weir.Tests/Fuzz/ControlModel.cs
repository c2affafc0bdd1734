using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>What one worker's bytes on the control channel mean by the protocol's page alone.</summary>
internal sealed class ControlModel : IDisposable
{
    private readonly FrameReader _frames = new(FrameRoute.ControlUp, FrameRules.LargestDescription);

    /// <summary>What was wrong; nothing is heard after it.</summary>
    public FrameFault? Fault { get; private set; }

    /// <summary>Whether it has said READY, or why not.</summary>
    public bool HasReady { get; private set; }

    public void Hear(ReadOnlySpan<byte> bytes)
    {
        if (Fault is not null)
        {
            return;
        }

        try
        {
            _frames.Append(bytes);
            while (_frames.TryRead(out var frame))
            {
                OnFrame(frame);
            }
        }
        catch (FrameException broken)
        {
            Fault = broken.Fault;
        }
    }

    public void Dispose() => _frames.Dispose();

    private void OnFrame(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Ready when !HasReady:
                HasReady = true;
                Wire.Interpret(frame);
                break;
            case FrameType.Log or FrameType.Bye:
                Wire.Interpret(frame);
                break;
            case FrameType.Pong:
                break;
            case FrameType.Returned when ReturnedPayload.Read(frame.Payload).Last < frame.CallId:
                break;
            default:
                throw new FrameException(FrameFault.UnexpectedFrame, $"{frame.Type}");
        }
    }
}
