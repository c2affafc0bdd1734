using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A pool for each kind of task, that keeps no worker while there are no calls.</summary>
internal sealed class WeirKinds : IAsyncDisposable
{
    // Bounded by the two requests of a round.
    private readonly List<(WorkerPool Pool, IHelloTasksClient Client)> _kinds = [];

    public int Count => _kinds.Count;

    /// <summary>So many <c>kinds</c> more, and how many milliseconds a worker stays <c>idle</c>.</summary>
    public void Open(ControlLine request)
    {
        for (var i = request.Int("kinds"); i > 0; i--)
        {
            var pool = WeirStart.Pool("tasks", options =>
            {
                options.MinWorkers = 0;
                options.MaxWorkers = 1;
                options.IdleTimeout = TimeSpan.FromMilliseconds(request.Int("idle"));
            });
            _kinds.Add((pool, pool.GetProxy<IHelloTasksClient>()));
        }
    }

    public async Task CallAsync(int kind, int bytes) =>
        HelloAnswer.Checked(TaskKind.Load, await _kinds[kind].Client.Load(new byte[bytes]));

    public async ValueTask DisposeAsync() => await Task.WhenAll(_kinds.Select(kind => kind.Pool.DisposeAsync().AsTask()));
}
