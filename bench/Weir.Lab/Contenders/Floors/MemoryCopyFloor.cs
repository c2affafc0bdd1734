using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Floors;

/// <summary>Copying a payload once, from memory to memory: no channel between two memories can be faster.</summary>
internal static class MemoryCopyFloor
{
    // More than the caches hold: a payload that was just made or just came is in none that both sides share.
    private const int AreaBytes = 64 * 1024 * 1024;
    private const int CheckInterval = 64;

    public static LocalContender Of(int bytes, TimeSpan duration) => new("floor memcpy", _ => Task.Run(() =>
    {
        var (from, to) = (new byte[AreaBytes], new byte[AreaBytes]);
        from.AsSpan().Fill(1);
        to.AsSpan().Fill(2);
        long count = 0;
        var began = Clock.Now;
        double seconds;
        do
        {
            for (var i = 0; i < CheckInterval; i++, count++)
            {
                var at = (int)(count * bytes % AreaBytes);
                from.AsSpan(at, bytes).CopyTo(to.AsSpan(at));
            }

            seconds = Clock.SecondsSince(began);
        }
        while (seconds < duration.TotalSeconds);
        return new Round().AddRate("tasks/s", count, seconds);
    }));
}
