using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>What one worker's bytes on the control channel mean according to <c>docs/protocol.md</c> alone.</summary>
internal sealed class ControlModel : IDisposable
{
    private readonly FrameReader _frames = new(FrameRoute.ControlUp, FrameRules.LargestDescription);

    /// <summary>The violation; nothing is read after it.</summary>
    public FrameError? Error { get; private set; }

    /// <summary>Whether it has sent READY, or why not.</summary>
    public bool HasReady { get; private set; }

    public void Hear(ReadOnlySpan<byte> bytes)
    {
        if (Error is not null)
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
            Error = broken.Error;
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
                throw new FrameException(FrameError.UnexpectedFrame, $"{frame.Type}");
        }
    }
}
