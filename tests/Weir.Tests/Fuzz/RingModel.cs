using Weir.Protocol.SharedMemory;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>What the words of shared memory mean for the reader of a ring, according to <c>docs/protocol.md</c> alone.</summary>
/// <param name="region">The shared memory; no thread writes to it while the model reads it.</param>
/// <param name="places">The ring.</param>
internal sealed class RingModel(AllocatedRegion region, RingPlaces places)
{
    private ulong _taken;

    /// <summary>The bytes that can be taken; <c>null</c> if the words are impossible.</summary>
    /// <param name="most">The available space.</param>
    /// <param name="isDead">Whether the worker has exited, so that everything that was added is taken.</param>
    public byte[]? Take(int most, bool isDead = false)
    {
        var there = region.Field(isDead ? places.Committed : places.Sent) - _taken;
        if (there > SharedMemoryLayout.RingSize)
        {
            return null;
        }

        var bytes = new byte[(int)Math.Min(there, (ulong)most)];
        var at = (int)((_taken - region.Field(places.Origin)) % SharedMemoryLayout.RingSize);
        var ring = region.Bytes.Slice(places.Buffer, SharedMemoryLayout.RingSize);
        var first = Math.Min(bytes.Length, SharedMemoryLayout.RingSize - at);
        ring.Slice(at, first).CopyTo(bytes);
        ring[..(bytes.Length - first)].CopyTo(bytes.AsSpan(first));
        _taken += (ulong)bytes.Length;
        return bytes;
    }
}
