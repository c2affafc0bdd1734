using System.Runtime.CompilerServices;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>A small object, as telemetry sends them by the million.</summary>
public sealed record Sample(int Id, string Name, double Value)
{
    // Looking at the clock costs about as much as an item.
    private const int LookInterval = 64;

    /// <summary>A producer that always has the next one ready: so many, or, with <paramref name="ms"/> above zero, as many as are taken in that time.</summary>
    public static async IAsyncEnumerable<Sample> StreamAsync(int count, int ms, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        await Task.CompletedTask;
        var end = ms > 0 ? Clock.Now + Clock.TicksOf(ms / 1000.0) : long.MaxValue;
        for (var i = 0; i < count && !cancellation.IsCancellationRequested; i++)
        {
            if (i % LookInterval == 0 && Clock.Now >= end)
                yield break;
            yield return Make(i);
        }
    }

    /// <summary>A producer that fails once it has given <paramref name="after"/> items.</summary>
    public static async IAsyncEnumerable<Sample> FailAsync(int after, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        for (var i = 0; i < after; i++)
        {
            await Task.Yield();
            cancellation.ThrowIfCancellationRequested();
            yield return Make(i);
        }

        throw new InvalidOperationException($"the source broke after {after} items");
    }

    public static Sample Make(int index) => new(index, "sensor", index * 0.5);
}
