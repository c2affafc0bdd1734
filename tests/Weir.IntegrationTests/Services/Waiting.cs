using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Weir.IntegrationTests.Services;

/// <summary>What an operation may do with the thread on which it runs.</summary>
[Service, Get]
public sealed class Waiting
{
    /// <summary>What <see cref="Result"/> waits for. It stays open: a call that comes late is not to block a thread for the rest of the tests.</summary>
    internal static TaskCompletionSource<int> Gate { get; } = new();

    public int Sleep(int ms)
    {
        Thread.Sleep(ms);
        return ms;
    }

    [Blocking]
    public int SleepOnLane(int ms) => Sleep(ms);

    public async Task<int> SleepFirst(int ms)
    {
        Sleep(ms);
        await Task.Yield();
        return ms;
    }

    public async IAsyncEnumerable<int> SleepBetween(int ms, int count, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var i = 0; i < count; i++)
        {
            await Task.CompletedTask.WaitAsync(cancellationToken);
            yield return Sleep(ms);
        }
    }

    public int Compute(int ms)
    {
        var began = Stopwatch.GetTimestamp();
        var rounds = 0;
        while (Stopwatch.GetElapsedTime(began) < TimeSpan.FromMilliseconds(ms))
        {
            rounds++;
        }

        return rounds;
    }

    public async Task<int> Delay(int ms, CancellationToken cancellationToken)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(ms), TimeProvider.System, cancellationToken);
        return ms;
    }

    public int Result() => Gate.Task.Result;
}
