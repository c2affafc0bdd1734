using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Protocol;

public sealed class FrameWriterTests
{
    [Fact]
    public void A_frame_is_visible_only_when_it_is_complete()
    {
        using var writer = new FrameWriter();
        writer.Append(FrameType.Started, 1);
        writer.Begin(FrameType.Result, 1);
        writer.Write("12"u8);
        Assert.True(writer.TryPeek(out var seen));
        Assert.Equal(FrameHeader.Size, seen.Length);
        writer.Consume(seen.Length);
        Assert.False(writer.TryPeek(out _));
        writer.End();
        Assert.Equal(FrameHeader.Size + 2, writer.Pending);
        Assert.Equal("12"u8, Wire.Frames(Wire.Drain(writer))[0].Payload);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(100_000)]
    public void A_writer_begins_in_the_piece_that_it_was_given(int length)
    {
        var first = new byte[FrameWriter.PieceSize];
        using var writer = new FrameWriter(first: first);
        Assert.False(writer.TryPeek(out _));

        var payload = Enumerable.Range(1, length).Select(i => (byte)i).ToArray();
        writer.Begin(FrameType.Result, 1);
        writer.Write(payload);
        writer.End();

        Assert.Equal(1, first[FrameHeader.Size]);
        Assert.Equal(payload, Wire.Frames(Wire.Drain(writer))[0].Payload);
        writer.Append(FrameType.Started, 2);
        Assert.Equal([2ul], Wire.Frames(Wire.Drain(writer)).Select(f => f.Header.CallId));
    }

    [Fact]
    public void A_discarded_frame_leaves_no_trace()
    {
        using var writer = new FrameWriter();
        writer.Append(FrameType.Started, 1);
        writer.Begin(FrameType.Result, 1);
        writer.Write(new byte[100_000]);
        writer.Borrow(new byte[10_000]);
        writer.Discard();
        writer.Append(FrameType.Started, 2);
        Assert.Equal([1ul, 2ul], Wire.Frames(Wire.Drain(writer)).Select(f => f.Header.CallId));
    }

    [Fact]
    public void A_payload_over_the_limit_is_discarded_and_the_error_has_both_lengths()
    {
        using var writer = new FrameWriter(10);
        writer.Begin(FrameType.Result, 1);
        writer.Write(new byte[11]);
        var thrown = Assert.Throws<PayloadTooLongException>(() => writer.End());
        Assert.Equal((11, 10), (thrown.Length, thrown.Limit));
        Assert.Equal(0, writer.Pending);
        writer.Append(FrameType.Started, 1);
        Assert.Single(Wire.Frames(Wire.Drain(writer)));
    }

    [Fact]
    public void A_borrowed_payload_is_sent_from_its_owners_memory()
    {
        var owned = new byte[100_000];
        using var writer = new FrameWriter();
        writer.Begin(FrameType.Item, 1);
        writer.Borrow(owned);
        writer.End();
        writer.TryPeek(out var header);
        Assert.Equal(FrameHeader.Size, header.Length);
        writer.Consume(header.Length);
        Assert.True(writer.TryPeek(out var run));
        Assert.True(run.Span.Overlaps(owned));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(16)]
    [InlineData(5_000)]
    public void After_CopyBorrowed_the_owner_may_reuse_its_memory(int sentBefore)
    {
        var owned = Enumerable.Range(0, 20_000).Select(i => (byte)i).ToArray();
        var expected = owned.ToArray();
        using var writer = new FrameWriter();
        writer.Begin(FrameType.Item, 1);
        writer.Borrow(owned);
        writer.End();

        var sent = new List<byte>();
        while (sent.Count < sentBefore)
        {
            writer.TryPeek(out var run);
            var count = Math.Min(run.Length, sentBefore - sent.Count);
            sent.AddRange(run.Span[..count]);
            writer.Consume(count);
        }

        writer.CopyBorrowed();
        Array.Clear(owned);
        sent.AddRange(Wire.Drain(writer));

        Assert.Equal(expected, Wire.Frames(sent.ToArray())[0].Payload);
    }

    [Fact]
    public void Any_mix_of_writing_sending_and_copying_gives_the_same_bytes_as_a_list()
    {
        for (var seed = 0; seed < 300; seed++)
        {
            var random = new Random(seed);
            using var channel = new FrameWriter();
            var expected = new List<byte>();
            var sent = new List<byte>();

            for (var step = 0; step < 60; step++)
            {
                switch (random.Next(6))
                {
                    case 0: // A frame of several writes, some borrowed; sometimes discarded.
                        var payload = new List<byte>();
                        channel.Begin(FrameType.Item, (ulong)step + 1);
                        for (var part = random.Next(4); part > 0; part--)
                        {
                            var bytes = new byte[random.Next(3) == 0 ? random.Next(40_000) : random.Next(100)];
                            random.NextBytes(bytes);
                            payload.AddRange(bytes);
                            if (random.Next(2) == 0)
                                channel.Write(bytes);
                            else
                                channel.Borrow(bytes);
                        }

                        if (random.Next(5) == 0)
                        {
                            channel.Discard();
                            break;
                        }

                        channel.End();
                        var header = new byte[FrameHeader.Size];
                        new FrameHeader(FrameType.Item, FrameFlags.None, (ulong)step + 1, payload.Count).Write(header);
                        expected.AddRange(header);
                        expected.AddRange(payload);
                        break;
                    case 1:
                        channel.CopyBorrowed();
                        break;
                    default:
                        if (channel.TryPeek(out var run))
                        {
                            var count = random.Next(run.Length + 1);
                            sent.AddRange(run.Span[..count]);
                            channel.Consume(count);
                        }

                        break;
                }

                Assert.Equal(expected.Count, sent.Count + channel.Pending);
            }

            sent.AddRange(Wire.Drain(channel));
            Assert.True(expected.SequenceEqual(sent), $"seed {seed}");
        }
    }

    [Fact]
    public void Calls_and_results_in_steady_state_allocate_nothing()
    {
        using var writer = new FrameWriter();
        using var reader = new FrameReader(FrameRoute.DataDown | FrameRoute.DataUp | FrameRoute.ControlDown);
        var argument = new byte[64];

        void Round(ulong id)
        {
            var call = CallWriter.Begin(writer, id, new CallFields(1, ResultEncoding.Raw, 65536, 1000));
            call.AddRaw(0, argument);
            call.End();
            writer.Append(FrameType.Started, id);
            writer.Begin(FrameType.Item, id);
            writer.Write(argument);
            writer.End();
            new CreditPayload(1).Write(writer, id);
            writer.Append(FrameType.Result, id, FrameFlags.NoValue);
            while (writer.TryPeek(out var run))
            {
                reader.Append(run.Span);
                writer.Consume(run.Length);
            }

            while (reader.TryRead(out var frame))
                Wire.Interpret(frame);
        }

        long Allocated(ulong from)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = from; i < from + 1000; i++)
                Round(i);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }

        // A garbage collection may free a pooled buffer, and the next round rents a new one: a thousand frames without allocation are enough.
        Assert.Equal(0, Enumerable.Range(0, 10).Min(thousand => Allocated(1 + 1000 * (ulong)thousand)));
    }
}
