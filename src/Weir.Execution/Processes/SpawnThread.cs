using System.Collections.Concurrent;
using Weir.Execution.Threading;

namespace Weir.Execution.Processes;

/// <summary>
/// The one thread of this process that creates workers. A worker asks to be killed when its parent dies (PDEATHSIG), and for Linux
/// the parent is the creating <em>thread</em>: a worker created on a thread of the thread pool is killed when that thread ends,
/// although the host still runs. So this thread never ends before the process does.
/// </summary>
internal sealed class SpawnThread
{
    private static readonly RetryingLazy<SpawnThread> Instance = new(() => new SpawnThread());

    // Unbounded, but a pool never requests more than its maximum of workers at once.
    private readonly BlockingCollection<Action> _requests = [];

    // Each request handles its own failure, so the loop has none.
    private SpawnThread() => Callbacks.CreateThread("Weir worker spawn", this, static thread => thread.Run(), static (_, _) => { }).UnsafeStart();

    /// <summary>The one of this process; started by the first use.</summary>
    public static SpawnThread Shared => Instance.Value;

    /// <summary>Spawns one worker and returns what identifies it. The caller must reap it.</summary>
    /// <exception cref="LaunchException">The operating system refused.</exception>
    public Task<T> SpawnAsync<T>(Func<T> spawn)
    {
        var spawned = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        _requests.Add(() =>
        {
            try
            {
                spawned.SetResult(spawn());
            }
            catch (Exception failure)
            {
                // Any exception is passed to the caller; the thread continues.
                spawned.SetException(failure);
            }
        });
        return spawned.Task;
    }

    private void Run()
    {
        foreach (var request in _requests.GetConsumingEnumerable())
        {
            request();
        }
    }
}
