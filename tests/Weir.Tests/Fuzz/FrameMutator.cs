namespace Weir.Tests.Fuzz;

/// <summary>Damages frames, from a seed: fields, lengths, whole pieces; mostly near the beginning, where the header is.</summary>
internal sealed class FrameMutator(Random random, byte[][] spares)
{
    /// <summary>How many frames were changed, moved or added so far.</summary>
    public int Mutated { get; private set; }

    /// <summary>One frame with a few changes, and sometimes none.</summary>
    public byte[] Mutate(byte[] frame, int most = 3)
    {
        var bytes = new List<byte>(frame);
        var changes = random.Next(most + 1);
        for (var n = 0; n < changes; n++)
        {
            var at = bytes.Count == 0 ? 0 : random.Next(random.Next(2) == 0 ? Math.Min(bytes.Count, 48) : bytes.Count);
            switch (random.Next(6))
            {
                case 0 when bytes.Count > 0: bytes[at] = (byte)random.Next(256); break;
                case 1 when bytes.Count > 0: bytes[at] ^= (byte)(1 << random.Next(8)); break;
                case 2 when bytes.Count > 0: bytes.RemoveRange(at, random.Next(1, bytes.Count - at + 1)); break;
                case 3: bytes.InsertRange(at, spares[random.Next(spares.Length)]); break;
                case 4 when bytes.Count > 0: bytes[at] = random.Next(2) == 0 ? (byte)0xff : (byte)0; break;
                default: bytes.InsertRange(at, new byte[random.Next(1, 20)]); break;
            }
        }

        // Not every change changes something: a zero over a zero does not.
        var mutated = bytes.ToArray();
        Mutated += mutated.AsSpan().SequenceEqual(frame) ? 0 : 1;
        return mutated;
    }

    /// <summary>Frames one after the other: some are changed, left out, duplicated, swapped, or foreign.</summary>
    public byte[] Stream(params IReadOnlyList<byte[]> frames)
    {
        // 1. The order.
        var order = new List<byte[]>(frames);
        if (random.Next(6) == 0 && order.Count > 0)
        {
            var at = random.Next(order.Count);
            switch (random.Next(4))
            {
                case 0: order.RemoveAt(at); break;
                case 1: order.Insert(at, order[at]); break;
                case 2: order.Insert(at, spares[random.Next(spares.Length)]); break;
                default: (order[at], order[0]) = (order[0], order[at]); break;
            }

            Mutated++;
        }

        // 2. Their content: mostly one byte is changed, so that more frames are read.
        var bytes = new List<byte>();
        foreach (var frame in order)
        {
            bytes.AddRange(random.Next(3) == 0 ? frame : Mutate(frame, most: random.Next(4) == 0 ? 3 : 1));
        }

        return [.. bytes];
    }
}
