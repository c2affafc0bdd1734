using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Floors;

/// <summary>Copying a payload once: no channel between two memories can be faster.</summary>
internal static class MemoryCopyFloor
{
    public static LocalContender Of(int bytes, int count) => new("floor memcpy", _ =>
    {
        var (from, to) = (new byte[bytes], new byte[bytes]);
        var began = Clock.Now;
        for (var i = 0; i < count; i++)
            from.AsSpan().CopyTo(to);
        return Task.FromResult(new Round().AddRate("tasks/s", count, Clock.SecondsSince(began)));
    });
}
