using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Fuzz;

/// <summary>What one worker's bytes on the data channel mean according to <c>docs/protocol.md</c> alone, for calls that run one at a time.</summary>
/// <param name="mostPayload">The payload limit of the host.</param>
/// <param name="isStream">Whether the calls have items instead of a value.</param>
internal sealed class AnswerModel(int mostPayload, bool isStream) : IDisposable
{
    private readonly FrameReader _frames = new(FrameRoute.DataUp, mostPayload);
    private ulong _callId;
    private bool _started;
    private bool _ended = true;

    /// <summary>The violation; nothing is read after it.</summary>
    public FrameError? Error { get; private set; }

    /// <summary>Whether the worker has reported that the running call started.</summary>
    public bool HasStarted => _started;

    /// <summary>The items that were passed on before the outcome.</summary>
    public string Items { get; private set; } = "";

    /// <summary>The worker was sent a call.</summary>
    public void Begin(ulong callId) => (_callId, _started, _ended, Items) = (callId, false, false, "");

    /// <summary>The worker sends bytes.</summary>
    /// <returns>The outcome of the running call; <c>null</c> while it has none.</returns>
    public string? Hear(ReadOnlySpan<byte> bytes)
    {
        string? ending = null;
        if (Error is not null)
        {
            return null;
        }

        try
        {
            _frames.Append(bytes);
            while (_frames.TryRead(out var frame))
            {
                ending = OnFrame(frame) ?? ending;
            }
        }
        catch (FrameException broken)
        {
            Error = broken.Error;
            if (!_ended)
            {
                _ended = true;
                ending = Outcomes.Violation(broken.Error);
            }
        }

        return ending;
    }

    public void Dispose() => _frames.Dispose();

    private string? OnFrame(in Frame frame)
    {
        if (frame.Flags.HasFlag(FrameFlags.Head))
        {
            throw new FrameException(FrameError.UnexpectedFrame, "a head, which was not agreed upon");
        }

        var isItsTurn = frame.CallId == _callId && !_ended;
        switch (frame.Type)
        {
            case FrameType.Started when isItsTurn && !_started:
                _started = true;
                return null;
            case FrameType.Item when isItsTurn && _started && isStream && !frame.Flags.HasFlag(FrameFlags.Raw):
                Items += Outcomes.Item(frame.Payload);
                return null;
            case FrameType.Result when isItsTurn && _started && frame.Flags.HasFlag(FrameFlags.NoValue) == isStream:
                _ended = true;
                return isStream ? Outcomes.End : Outcomes.Value(frame.Payload);
            case FrameType.Error:
                var error = ErrorPayload.Read(frame.Payload);
                if (isItsTurn && _started)
                {
                    _ended = true;
                    return Outcomes.Of(error);
                }

                break;
        }

        throw new FrameException(FrameError.UnexpectedFrame, $"{frame.Type}");
    }
}
