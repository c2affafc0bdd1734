using Weir.Protocol.Frames;

namespace Weir.Tests.Protocol;

public sealed class FrameReaderTests
{
    private static readonly byte[] AllSamples = [.. Samples.All.SelectMany(s => s.Bytes())];

    [Fact]
    public void Frames_split_at_every_byte_boundary_are_the_same_frames()
    {
        var whole = Wire.Frames(AllSamples);
        Assert.Equal(Samples.All.Count, whole.Count);

        for (var split = 0; split <= AllSamples.Length; split++)
            Assert.Equal(Describe(whole), Describe(ReadInTwo(split)));
    }

    [Fact]
    public void Frames_that_trickle_in_byte_by_byte_are_the_same_frames()
    {
        using var reader = new FrameReader(Wire.Everything);
        var frames = new List<(FrameHeader, byte[])>();
        foreach (var b in AllSamples)
        {
            reader.Append([b]);
            while (reader.TryRead(out var frame))
                frames.Add((frame.Header, frame.Payload.ToArray()));
        }

        Assert.Equal(Describe(Wire.Frames(AllSamples)), Describe(frames));
        Assert.Equal(0, reader.Unread);
    }

    [Fact]
    public void A_header_alone_makes_the_reader_hold_no_more_than_its_first_buffer()
    {
        using var reader = new FrameReader(FrameRoute.DataUp);
        var header = new byte[FrameHeader.Size];
        new FrameHeader(FrameType.Result, FrameFlags.None, 1, 64 << 20).Write(header);

        reader.Append(header);

        Assert.False(reader.TryRead(out _));
        Assert.InRange(reader.GetSpan().Length, 1, 64 << 10);
        Assert.Equal(64 << 10, reader.Capacity);
    }

    [Fact]
    public void A_reader_uses_the_buffer_that_it_was_given_until_it_has_to_grow()
    {
        var first = new byte[FrameReader.FirstSize];
        using var reader = new FrameReader(Wire.Everything, first: first);
        reader.Append(AllSamples.AsSpan(0, 100));
        Assert.Equal(AllSamples[..100], first[..100]);
        Assert.Equal(first.Length, reader.Capacity);
    }

    [Fact]
    public void The_buffer_grows_with_the_bytes_that_arrive_and_goes_back_when_it_is_empty()
    {
        using var reader = new FrameReader(FrameRoute.DataUp);
        var bytes = Wire.Bytes(w =>
        {
            w.Begin(FrameType.Result, 1);
            w.Write(new byte[8 << 20]);
            w.End();
        });

        for (var received = 0; received < bytes.Length;)
        {
            Assert.False(reader.TryRead(out _));
            var space = reader.GetSpan();
            Assert.NotEqual(0, space.Length);
            Assert.InRange(reader.Capacity, 0, Math.Max(64 << 10, 3 * (received + 1)));
            var count = Math.Min(Math.Min(space.Length, 10_000), bytes.Length - received);
            bytes.AsSpan(received, count).CopyTo(space);
            reader.Advance(count);
            received += count;
        }

        Assert.True(reader.TryRead(out var frame));
        Assert.Equal(8 << 20, frame.Payload.Length);
        reader.GetSpan();
        Assert.Equal(64 << 10, reader.Capacity);
        reader.Trim();
        Assert.Equal(0, reader.Capacity);
    }

    [Fact]
    public void The_buffer_that_a_megabyte_needed_is_kept_for_the_next()
    {
        using var reader = new FrameReader(FrameRoute.DataUp);
        reader.Append(Wire.Bytes(w =>
        {
            w.Begin(FrameType.Result, 1);
            w.Write(new byte[1 << 20]);
            w.End();
        }));
        Assert.True(reader.TryRead(out _));
        reader.GetSpan();
        Assert.InRange(reader.Capacity, 1 << 20, 4 << 20);
    }

    [Fact]
    public void A_channel_that_ends_inside_a_frame_was_cut_off()
    {
        var bytes = Samples.Named("call-full").Bytes();
        for (var length = 1; length < bytes.Length; length++)
        {
            using var reader = new FrameReader(FrameRoute.DataDown);
            reader.Append(bytes.AsSpan(0, length));
            Assert.False(reader.TryRead(out _));
            Assert.Equal(FrameError.CutOff, Assert.Throws<FrameException>(reader.Complete).Error);
        }
    }

    [Fact]
    public void A_channel_that_ends_between_frames_is_complete()
    {
        using var reader = new FrameReader(FrameRoute.DataDown);
        reader.Complete();
        reader.Append(Samples.Named("call-full").Bytes());
        Assert.True(reader.TryRead(out _));
        reader.Complete();
    }

    [Fact]
    public void After_a_protocol_error_the_reader_stays_broken()
    {
        using var reader = new FrameReader(FrameRoute.DataUp);
        reader.Append(Samples.Named("hello").Bytes());
        var first = Assert.Throws<FrameException>(() => reader.TryRead(out _));
        reader.Append(Samples.Named("started").Bytes());
        Assert.Same(first, Assert.Throws<FrameException>(() => reader.TryRead(out _)));
    }

    [Fact]
    public void The_limit_may_be_lowered_once_the_other_side_has_sent_its_own()
    {
        using var reader = new FrameReader(FrameRoute.DataUp) { MostPayload = 3 };
        reader.Append(Wire.Bytes(w =>
        {
            w.Begin(FrameType.Result, 1);
            w.Write("1234"u8);
            w.End();
        }));
        Assert.Equal(FrameError.PayloadTooLong, Assert.Throws<FrameException>(() => reader.TryRead(out _)).Error);
    }

    private static List<(FrameHeader Header, byte[] Payload)> ReadInTwo(int split)
    {
        using var reader = new FrameReader(Wire.Everything);
        var frames = new List<(FrameHeader, byte[])>();
        reader.Append(AllSamples.AsSpan(0, split));
        while (reader.TryRead(out var frame))
            frames.Add((frame.Header, frame.Payload.ToArray()));
        reader.Append(AllSamples.AsSpan(split));
        while (reader.TryRead(out var frame))
            frames.Add((frame.Header, frame.Payload.ToArray()));
        reader.Complete();
        return frames;
    }

    private static string Describe(IEnumerable<(FrameHeader Header, byte[] Payload)> frames) =>
        string.Join('\n', frames.Select(f => f.Header + Convert.ToHexString(f.Payload)));
}
