using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>Answers that were read together, with their frames. One thread. Bounded by what one read of the channel holds.</summary>
internal sealed class AnswerBatch
{
    private Answer[] _answers = new Answer[16];
    private (FrameHeader Header, ReadOnlyMemory<byte> Payload)[] _frames = new (FrameHeader, ReadOnlyMemory<byte>)[16];

    public int Count { get; private set; }

    public Span<Answer> Answers => _answers.AsSpan(0, Count);

    /// <summary>The highest id among them.</summary>
    public ulong LastId { get; private set; }

    public Frame Frame(int index) => new(_frames[index].Header, _frames[index].Payload);

    public void Add(in Frame frame)
    {
        if (Count == _answers.Length)
        {
            Array.Resize(ref _answers, Count * 2);
            Array.Resize(ref _frames, Count * 2);
        }

        _answers[Count] = new Answer(frame.CallId, Kind(frame.Type, frame.Flags));
        LastId = Math.Max(LastId, frame.CallId);
        _frames[Count++] = (frame.Header, frame.Memory);
    }

    /// <summary>The frames' bytes are not referred to any more, nor the calls.</summary>
    public void Clear()
    {
        _answers.AsSpan(0, Count).Clear();
        _frames.AsSpan(0, Count).Clear();
        Count = 0;
        LastId = 0;
    }

    /// <summary>Whether an answer is a RESULT, and then whether it has a value.</summary>
    public static (bool IsResult, bool HasValue) Read(int kind) =>
        ((FrameType)(kind >> 8) == FrameType.Result, ((FrameFlags)(kind & 0xFF) & FrameFlags.NoValue) == 0);

    private static int Kind(FrameType type, FrameFlags flags) => ((int)type << 8) | (int)flags;
}
