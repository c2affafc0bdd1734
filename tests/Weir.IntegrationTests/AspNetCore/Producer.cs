using System.Runtime.CompilerServices;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>A producer whose steps the test allows one by one, and which reports when it has stopped.</summary>
internal sealed class Producer : IDisposable
{
    private readonly SemaphoreSlim _steps = new(0);
    private readonly TaskCompletionSource _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile int _given;

    /// <summary>Items given so far.</summary>
    internal int Given => _given;

    /// <summary>Ends when the producer was disposed.</summary>
    internal Task Stopped => _stopped.Task;

    internal void Allow(int items) => _steps.Release(items);

    /// <summary>Waits without observing the token if requested.</summary>
    internal async IAsyncEnumerable<int> Items(int count, bool heedsToken = true, int failAt = -1, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        try
        {
            for (var i = 0; i < count; i++)
            {
                await _steps.WaitAsync(heedsToken ? cancellationToken : CancellationToken.None);
                if (i == failAt)
                {
                    throw new InvalidOperationException("failed on purpose");
                }

                _given++;
                yield return i;
            }
        }
        finally
        {
            _stopped.TrySetResult();
        }
    }

    internal IEnumerable<int> Blocking(int count, int failAt = -1)
    {
        try
        {
            for (var i = 0; i < count; i++)
            {
                _steps.Wait();
                if (i == failAt)
                {
                    throw new InvalidOperationException("failed on purpose");
                }

                _given++;
                yield return i;
            }
        }
        finally
        {
            _stopped.TrySetResult();
        }
    }

    internal Task StopsAsync() => Stopped.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System, TestContext.Current.CancellationToken);

    public void Dispose() => _steps.Dispose();
}
