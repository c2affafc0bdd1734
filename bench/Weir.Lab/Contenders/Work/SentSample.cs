using System.Runtime.CompilerServices;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>An item that says when it was sent, by the clock that all processes of a machine share.</summary>
public sealed record SentSample(int Id, long SentAt)
{
    /// <summary>One item after each delay.</summary>
    public static async IAsyncEnumerable<SentSample> StreamAsync(int count, int delay, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        for (var i = 0; i < count; i++)
        {
            await Task.Delay(delay, cancellation);
            yield return new SentSample(i, Clock.Now);
        }
    }
}
