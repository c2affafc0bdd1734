namespace Weir.IntegrationTests.Services;

/// <summary>A caller's items that know what becomes of them.</summary>
internal sealed class OwnItems<T>(IEnumerable<T> items) : IAsyncEnumerable<T>
{
    private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _given;

    /// <summary>How many were taken.</summary>
    internal int Given => Volatile.Read(ref _given);

    internal bool HasBegun { get; private set; }

    /// <summary>Thrown after the last one, if there is one.</summary>
    internal Exception? Failure { get; init; }

    /// <summary>Whether there is no end after the last one.</summary>
    internal bool IsEndless { get; init; }

    /// <summary>Awaited before each one.</summary>
    internal Func<int, Task> Before { get; init; } = static _ => Task.CompletedTask;

    /// <summary>Ends when the enumerator was disposed.</summary>
    internal Task Disposed => _disposed.Task;

    public async IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        HasBegun = true;
        try
        {
            foreach (var item in items)
            {
                await Before(_given);
                cancellationToken.ThrowIfCancellationRequested();
                Interlocked.Increment(ref _given);
                yield return item;
            }

            if (Failure is { } failure)
            {
                throw failure;
            }

            if (IsEndless)
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }
        }
        finally
        {
            _disposed.SetResult();
        }
    }
}
