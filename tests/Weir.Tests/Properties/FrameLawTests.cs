using FsCheck;
using Weir.Protocol.Frames;
using Weir.Tests.Protocol;

namespace Weir.Tests.Properties;

/// <summary>What holds for any frames and any bytes, however they are split.</summary>
public sealed class FrameLawTests
{
    private const FrameRoute Down = FrameRoute.DataDown | FrameRoute.ControlDown;

    [Fact]
    public void Any_frames_written_and_cut_anywhere_are_read_as_the_same_frames() =>
        Law.Holds<(AnyFrame[] Frames, ushort[] Sent, ushort[] Received)>(
            static one =>
            {
                // 1. Written, and taken from the writer in pieces, some while there is more to write.
                var bytes = new List<byte>();
                using var writer = new FrameWriter();
                var sent = new Pieces(one.Sent);
                foreach (var frame in one.Frames)
                {
                    frame.Write(writer);
                    Take(writer, sent, bytes);
                }

                while (Take(writer, sent, bytes))
                {
                }

                // 2. Received in other pieces.
                using var reader = new FrameReader(Wire.Everything);
                var read = new List<string>();
                var received = new Pieces(one.Received);
                for (var rest = bytes.ToArray().AsSpan(); !rest.IsEmpty;)
                {
                    var count = received.Next(rest.Length);
                    reader.Append(rest[..count]);
                    rest = rest[count..];
                    while (reader.TryRead(out var frame))
                    {
                        read.Add(Describe(frame.Header, frame.Payload));
                    }
                }

                reader.Complete();
                Assert.Equal(one.Frames.Select(static frame => frame.ToFrame()).Select(static frame => Describe(frame.Header, frame.Payload)), read);
            },
            values: 1_000);

    [Fact]
    public void Any_bytes_give_equal_frames_or_a_protocol_error_and_the_buffer_is_bounded() =>
        Law.Holds<(AnyFrame[] Frames, (DoNotSize<ushort> At, byte Value)[] Blots, ushort[] Received, bool IsDown, DoNotSize<ushort> Most)>(
            static one =>
            {
                var bytes = Wire.Bytes(writer => Array.ForEach(one.Frames, frame => frame.Write(writer)));
                foreach (var (at, value) in one.Blots)
                {
                    // Half of them are in the first header, which is always read.
                    bytes.AsSpan(bytes.Length == 0 ? 0 : at.Item % (at.Item % 2 == 0 ? Math.Min(bytes.Length, FrameHeader.Size) : bytes.Length)).Slice(0, Math.Min(1, bytes.Length)).Fill(value);
                }

                ReadAll(bytes, new FrameReader(one.IsDown ? Down : Wire.Everything, one.Most.Item), new Pieces(one.Received));
            },
            values: 5_000);

    [Fact]
    public void Any_bytes_cause_no_other_error_than_the_protocols() =>
        Law.Holds<(byte[] First, byte[] Others, ushort[] Received)>(
            static one => ReadAll([.. one.First, .. one.Others], new FrameReader(Wire.Everything, 1000), new Pieces(one.Received)),
            values: 10_000);

    private static void ReadAll(byte[] bytes, FrameReader reader, Pieces pieces)
    {
        var (appended, read, longest) = (0, 0, 0);
        using (reader)
        {
            try
            {
                while (appended < bytes.Length)
                {
                    var count = pieces.Next(bytes.Length - appended);
                    longest = Math.Max(longest, count);
                    reader.Append(bytes.AsSpan(appended, count));
                    appended += count;
                    while (reader.TryRead(out var frame))
                    {
                        // Only bytes that arrived, and none that were read before.
                        Assert.Equal(FrameHeader.Read(bytes.AsSpan(read), Wire.Everything, int.MaxValue), frame.Header);
                        Assert.InRange(frame.Payload.Length, 0, FrameRules.Of(frame.Type).MostUnder(reader.MostPayload));
                        Assert.True(frame.Payload.SequenceEqual(bytes.AsSpan(read + FrameHeader.Size, frame.Payload.Length)), "The payload is of other bytes.");
                        read += FrameHeader.Size + frame.Payload.Length;
                        Assert.InRange(read, 0, appended);
                        Wire.Interpret(frame);
                    }

                    // A description may be longer than the limit, but never longer than the bytes that arrived.
                    Assert.InRange(reader.Capacity, 0, (128 << 10) + (4 * Math.Min(appended, longest + FrameRules.LargestDescription)));
                }

                reader.Complete();
                Assert.Equal(appended, read);
            }
            catch (FrameException)
            {
            }
        }
    }

    // False when there is nothing to take.
    private static bool Take(FrameWriter writer, Pieces pieces, List<byte> bytes)
    {
        if (!writer.TryPeek(out var run))
        {
            return false;
        }

        var count = pieces.Next(run.Length);
        bytes.AddRange(run.Span[..count]);
        writer.Consume(count);
        return true;
    }

    private static string Describe(FrameHeader header, ReadOnlySpan<byte> payload) => header + Convert.ToHexString(payload);
}
