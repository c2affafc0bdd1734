using System.Runtime.CompilerServices;

namespace Weir.Lab.Contenders.Work;

/// <summary>A small object, as telemetry sends them by the million.</summary>
public sealed record Sample(int Id, string Name, double Value)
{
    /// <summary>A producer that always has the next one ready.</summary>
    public static async IAsyncEnumerable<Sample> StreamAsync(int count, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        await Task.CompletedTask;
        for (var i = 0; i < count && !cancellation.IsCancellationRequested; i++)
            yield return Make(i);
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
