using Weir.Protocol.Page;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>Writes over the words of a page, from a seed: what is a little or much too large, what goes back, anything.</summary>
/// <param name="random">Draws.</param>
/// <param name="page">Whose words.</param>
internal sealed class Scribbler(Random random, PageMemory page)
{
    private static readonly int[] Words =
    [
        PageLayout.Version, PageLayout.RecallLast, PageLayout.DownSent, PageLayout.DownOrigin, PageLayout.UpTaken, PageLayout.Settle,
        PageLayout.UpCommitted, PageLayout.UpOrigin, PageLayout.UpSent, PageLayout.UpSent, PageLayout.DownTaken, PageLayout.Done, PageLayout.Busy,
        PageLayout.WorkerSleeps, PageLayout.WorkerWantsRoom, PageLayout.HostSleeps, PageLayout.HostWantsRoom, PageLayout.StartedCall, PageLayout.StartedAt,
    ];

    /// <summary>How many words so far.</summary>
    public int Scribbled { get; private set; }

    public void Scribble()
    {
        var place = random.Next(6) == 0 ? sizeof(ulong) * random.Next(PageLayout.UpBuffer / sizeof(ulong)) : Words[random.Next(Words.Length)];
        ref var word = ref page.Field(place);
        Volatile.Write(ref word, random.Next(9) switch
        {
            0 => 0,
            1 => 1,
            2 => ulong.MaxValue,
            3 => word + 1,
            4 => word - 1,
            5 => word + (ulong)random.Next(PageLayout.RingSize + 2),
            6 => word - (ulong)random.Next(PageLayout.RingSize + 2),
            7 => word + (ulong)random.Next(200),
            _ => (ulong)random.NextInt64(long.MinValue, long.MaxValue),
        });
        Scribbled++;
    }
}
