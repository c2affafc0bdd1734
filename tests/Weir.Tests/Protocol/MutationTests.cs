using Weir.Protocol;

namespace Weir.Tests.Protocol;

/// <summary>Mutated frames, from fixed seeds: nothing but the protocol's own error may come out, and memory follows the bytes received.</summary>
public sealed class MutationTests
{
    private const int Count = 300_000;

    [Fact]
    public void A_mutated_frame_gives_frames_or_the_protocol_error_and_never_more_memory_than_was_received()
    {
        var originals = Samples.All.Select(s => s.Bytes()).ToArray();
        var random = new Random(20261121);
        int read = 0, refused = 0;

        for (var i = 0; i < Count; i++)
        {
            var bytes = Mutate(random, originals);
            using var reader = new FrameReader(RandomRoutes(random), 1 << 20);
            try
            {
                for (var rest = bytes.AsSpan(); rest.Length > 0;)
                {
                    var count = random.Next(1, rest.Length + 1);
                    reader.Append(rest[..count]);
                    rest = rest[count..];
                    while (reader.TryRead(out var frame))
                    {
                        Wire.Interpret(frame);
                        read++;
                    }

                    Assert.InRange(reader.Capacity, 0, bytes.Length + (64 << 10));
                }

                reader.Complete();
            }
            catch (FrameException)
            {
                refused++;
            }
        }

        // Both happen often, or the mutations test nothing.
        Assert.InRange(read, Count / 20, int.MaxValue);
        Assert.InRange(refused, Count / 20, Count);
    }

    [Fact]
    public void Views_over_mutated_payloads_allocate_in_proportion_to_the_payload()
    {
        var frames = Samples.All.Select(s => Wire.Frames(s.Bytes())[0]).ToArray();
        var random = new Random(7);
        for (var i = 0; i < Count / 3; i++)
        {
            var (header, original) = frames[random.Next(frames.Length)];
            var payload = Mutate(random, [original]);
            var before = GC.GetAllocatedBytesForCurrentThread();
            try
            {
                Wire.Interpret(new Frame(header, payload));
            }
            catch (FrameException)
            {
                // The error itself is most of what is measured.
            }

            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, (16 * payload.Length) + (16 << 10));
        }
    }

    private static FrameRoute RandomRoutes(Random random) =>
        random.Next(4) == 0 ? (FrameRoute)(1 << random.Next(4)) : Wire.Everything;

    private static byte[] Mutate(Random random, byte[][] originals)
    {
        var bytes = new List<byte>(originals[random.Next(originals.Length)]);
        for (var n = random.Next(4); n > 0; n--)
        {
            var at = bytes.Count == 0 ? 0 : random.Next(random.Next(2) == 0 ? Math.Min(bytes.Count, 48) : bytes.Count);
            switch (random.Next(6))
            {
                case 0 when bytes.Count > 0: bytes[at] = (byte)random.Next(256); break;
                case 1 when bytes.Count > 0: bytes[at] ^= (byte)(1 << random.Next(8)); break;
                case 2 when bytes.Count > 0: bytes.RemoveRange(at, random.Next(1, bytes.Count - at + 1)); break;
                case 3: bytes.InsertRange(at, originals[random.Next(originals.Length)]); break;
                case 4 when bytes.Count > 0: bytes[at] = random.Next(2) == 0 ? (byte)0xff : (byte)0; break;
                default: bytes.InsertRange(at, new byte[random.Next(1, 20)]); break;
            }
        }

        return [.. bytes];
    }
}
