using Weir.Protocol.Frames;
using Weir.Tests.Fuzz;

namespace Weir.Tests.Protocol;

/// <summary>Mutated frames, from fixed seeds: nothing but the protocol's own error may come out, and memory follows the bytes received.</summary>
public sealed class MutationTests
{
    // Frames that differ from their sample, for each direction: 1,200,000 together.
    private const int Count = 600_000;

    [Theory]
    [InlineData(FrameRoute.DataDown | FrameRoute.ControlDown)]
    [InlineData(FrameRoute.DataUp | FrameRoute.ControlUp)]
    public void A_mutated_frame_gives_frames_or_the_protocol_error_and_never_more_memory_than_was_received(Enum routes)
    {
        var direction = (FrameRoute)routes;
        var samples = Samples.All.Select(s => s.Bytes()).ToArray();
        var originals = samples.Where(bytes => (FrameRules.Of((FrameType)bytes[4]).Routes & direction) != 0).ToArray();
        var random = new Random(20261121 + (int)direction);
        var mutator = new FrameMutator(random, samples);
        int read = 0, refused = 0, tries = 0;

        for (; mutator.Mutated < Count; tries++)
        {
            var bytes = mutator.Mutate(originals[random.Next(originals.Length)]);
            using var reader = new FrameReader(SomeOf(direction, random), 1 << 20);
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

        // Both must happen often, or the mutations test nothing.
        Assert.InRange(tries, Count, 2 * Count);
        Assert.InRange(read, Count / 20, int.MaxValue);
        Assert.InRange(refused, Count / 20, tries);
    }

    [Fact]
    public void Views_over_mutated_payloads_allocate_in_proportion_to_the_payload()
    {
        var frames = Samples.All.Select(s => Wire.Frames(s.Bytes())[0]).ToArray();
        var random = new Random(7);
        for (var i = 0; i < Count / 2; i++)
        {
            var (header, original) = frames[random.Next(frames.Length)];
            var payload = new FrameMutator(random, [original]).Mutate(original);
            var before = GC.GetAllocatedBytesForCurrentThread();
            try
            {
                Wire.Interpret(new Frame(header, payload));
            }
            catch (FrameException)
            {
                // Most of the measured memory is the error itself.
            }

            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, (16 * payload.Length) + (16 << 10));
        }
    }

    // Mostly both channels of a direction, so that most frames are allowed; otherwise one channel, on which frames of the other are violations.
    private static FrameRoute SomeOf(FrameRoute direction, Random random) => random.Next(4) switch
    {
        0 => direction & (FrameRoute.DataDown | FrameRoute.DataUp),
        1 => direction & (FrameRoute.ControlDown | FrameRoute.ControlUp),
        _ => direction,
    };
}
