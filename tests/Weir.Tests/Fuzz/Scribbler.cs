using Weir.Protocol.SharedMemory;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>Overwrites the words of shared memory, from a seed: a little or much too large, smaller than before, or any value.</summary>
/// <param name="random">The source of random values.</param>
/// <param name="region">The shared memory to overwrite.</param>
internal sealed class Scribbler(Random random, AllocatedRegion region)
{
    private static readonly int[] Words =
    [
        SharedMemoryLayout.Version, SharedMemoryLayout.WithdrawnLast, SharedMemoryLayout.DownSent, SharedMemoryLayout.DownOrigin, SharedMemoryLayout.UpTaken, SharedMemoryLayout.Claim,
        SharedMemoryLayout.UpCommitted, SharedMemoryLayout.UpOrigin, SharedMemoryLayout.UpSent, SharedMemoryLayout.UpSent, SharedMemoryLayout.DownTaken, SharedMemoryLayout.Done, SharedMemoryLayout.Busy,
        SharedMemoryLayout.WorkerSleeps, SharedMemoryLayout.WorkerWantsSpace, SharedMemoryLayout.HostSleeps, SharedMemoryLayout.HostWantsSpace, SharedMemoryLayout.StartedCall, SharedMemoryLayout.StartedAt,
    ];

    /// <summary>How many words were overwritten so far.</summary>
    public int Scribbled { get; private set; }

    public void Scribble()
    {
        var place = random.Next(6) == 0 ? sizeof(ulong) * random.Next(SharedMemoryLayout.UpBuffer / sizeof(ulong)) : Words[random.Next(Words.Length)];
        ref var word = ref region.Field(place);
        Volatile.Write(ref word, random.Next(9) switch
        {
            0 => 0,
            1 => 1,
            2 => ulong.MaxValue,
            3 => word + 1,
            4 => word - 1,
            5 => word + (ulong)random.Next(SharedMemoryLayout.RingSize + 2),
            6 => word - (ulong)random.Next(SharedMemoryLayout.RingSize + 2),
            7 => word + (ulong)random.Next(200),
            _ => (ulong)random.NextInt64(long.MinValue, long.MaxValue),
        });
        Scribbled++;
    }
}
