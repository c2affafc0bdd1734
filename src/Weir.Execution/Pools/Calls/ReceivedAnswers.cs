using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Calls;

/// <summary>Answers that were read together, with their frames. One thread. Bounded by what one read of the channel holds.</summary>
internal sealed class ReceivedAnswers
{
    private const int Null = 1 << 16;
    private const int OutOfMemory = 1 << 17;

    private Answer[] _answers = new Answer[16];
    private (FrameHeader Header, ReadOnlyMemory<byte> Payload)[] _frames = new (FrameHeader, ReadOnlyMemory<byte>)[16];

    public int Count { get; private set; }

    public Span<Answer> Answers => _answers.AsSpan(0, Count);

    public Frame Frame(int index) => new(_frames[index].Header, _frames[index].Payload);

    public void Add(in Frame frame)
    {
        if (Count == _answers.Length)
        {
            Array.Resize(ref _answers, Count * 2);
            Array.Resize(ref _frames, Count * 2);
        }

        _answers[Count] = new Answer(frame.CallId, Kind(frame));
        _frames[Count++] = (frame.Header, frame.Memory);
    }

    /// <summary>Drops the references to the frames' bytes and to the calls.</summary>
    public void Clear()
    {
        _answers.AsSpan(0, Count).Clear();
        _frames.AsSpan(0, Count).Clear();
        Count = 0;
    }

    /// <summary>Whether an answer is a RESULT, and then whether it has a value, and whether that is null.</summary>
    public static (bool IsResult, bool HasValue, bool IsNull) Read(int kind) =>
        ((FrameType)((kind >> 8) & 0xFF) == FrameType.Result, ((FrameFlags)(kind & 0xFF) & FrameFlags.NoValue) == 0, (kind & Null) != 0);

    /// <summary>How many of the answers complete their call with a result.</summary>
    public static int CountResults(ReadOnlySpan<Answer> answers)
    {
        var results = 0;
        foreach (var answer in answers)
        {
            results += answer.IsOutcome && Read(answer.Kind).IsResult ? 1 : 0;
        }

        return results;
    }

    /// <summary>Whether an answer reports that the worker ran out of memory, after which it exits.</summary>
    public static bool IsOutOfMemory(int kind) => (kind & OutOfMemory) != 0;

    private static int Kind(in Frame frame) =>
        (frame.Flags == FrameFlags.None && frame.Payload.SequenceEqual("null"u8) ? Null : 0)
        | (frame.Type == FrameType.Error && frame.Payload is [(byte)ErrorKind.OutOfMemory, ..] ? OutOfMemory : 0)
        | ((int)frame.Type << 8)
        | (int)frame.Flags;
}
