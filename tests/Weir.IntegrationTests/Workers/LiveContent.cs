using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>Content and files between a host that does what a test says and a real worker.</summary>
internal static class LiveContent
{
    public const Capabilities Capabilities = Protocol.Payloads.Capabilities.Content | Protocol.Payloads.Capabilities.RequestStreams | Protocol.Payloads.Capabilities.ResponseHeads;

    /// <summary>What the host reads from a worker at first, in bytes: less than a piece of content.</summary>
    public const uint FirstCredit = 30_000;

    /// <summary>What came back: the bytes, what was in front of them, the frame that completed the call, and what the worker asked for.</summary>
    internal sealed record Exchanged(byte[] Bytes, ResponseHead? Head, LiveWorker.Received Outcome, long Granted);

    /// <summary>A frame of a request.</summary>
    internal sealed record Piece(FrameType Type, FrameFlags Flags, byte[] Payload);

    public static Piece End => new(FrameType.End, FrameFlags.None, []);

    /// <summary>The bytes in frames.</summary>
    public static IEnumerable<Piece> Raw(ReadOnlyMemory<byte> bytes, int size = 64 << 10)
    {
        for (var start = 0; start < bytes.Length; start += size)
        {
            yield return new Piece(FrameType.Item, FrameFlags.Raw, bytes.Slice(start, Math.Min(size, bytes.Length - start)).ToArray());
        }
    }

    /// <summary>The description of a file.</summary>
    public static Piece Described(string json) => new(FrameType.Item, FrameFlags.None, System.Text.Encoding.UTF8.GetBytes(json));

    public static void Send(this LiveWorker worker, ulong id, Piece piece) => worker.Data(frames =>
    {
        frames.Begin(piece.Type, id, piece.Flags);
        frames.Write(piece.Payload);
        frames.End();
    });

    public static void Abort(this LiveWorker worker, ulong id) => worker.Data(frames => new AbortPayload(AbortReason.CallerFailed, "cut").Write(frames, id));

    /// <summary>Sends what the worker gives credit for, and takes what comes, until the call has completed or so many bytes are there.</summary>
    public static async Task<Exchanged> ExchangeAsync(this LiveWorker worker, ulong id, IEnumerable<Piece>? request = null, bool isAborted = false, int most = int.MaxValue)
    {
        var left = new Queue<Piece>(request ?? []);
        var (credit, granted, items) = (0L, 0L, 0);
        using var bytes = new MemoryStream();
        ResponseHead? head = null;
        await worker.ExpectAsync(FrameType.Started, id);
        while (true)
        {
            while (granted > 0 && left.TryPeek(out var next) && (credit > 0 || next.Type != FrameType.Item))
            {
                worker.Send(id, left.Dequeue());
                credit -= FrameHeader.Size + next.Payload.Length;
            }

            if (isAborted && granted > 0 && left.Count == 0)
            {
                worker.Abort(id);
                isAborted = false;
            }

            var frame = await worker.NextDataAsync();
            Assert.Equal(id, frame.CallId);
            if (frame.Type == FrameType.Credit)
            {
                var more = CreditPayload.Read(frame.Payload).Bytes;
                (credit, granted) = (credit + more, granted + more);
                continue;
            }

            var length = 0;
            if (frame.Flags.HasFlag(FrameFlags.Head))
            {
                Assert.Equal(0, items);
                head = ResponseHead.Read(frame.Type, frame.Payload, out length);
            }

            if (frame.Type != FrameType.Item)
            {
                return new Exchanged(bytes.ToArray(), head, frame, granted);
            }

            items++;
            Assert.True(frame.Flags.HasFlag(FrameFlags.Raw) && frame.Payload.Length - length <= 64 << 10, frame.ToString());
            bytes.Write(frame.Payload.AsSpan(length));
            if (bytes.Length >= most)
            {
                return new Exchanged(bytes.ToArray(), head, frame, granted);
            }

            worker.Grant(id, (uint)(FrameHeader.Size + frame.Payload.Length - length));
        }
    }
}
