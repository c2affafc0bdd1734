using Weir.IntegrationTests.Services;
using Weir.IntegrationTests.Watching;
using Weir.IntegrationTests.Workers;

namespace Weir.IntegrationTests.Faults;

/// <summary>A pool of one worker of any kind, and what the crash matrix asks of it.</summary>
internal sealed class MatrixPool : IAsyncDisposable
{
    public const string Inline = ".NET inline";
    public const string Pumped = ".NET pumped";

    private readonly WorkerPool _pool;

    public MatrixPool(string worker, WatchedLauncher launcher, bool lingers)
    {
        Launcher = launcher;
        var command = worker is Inline or Pumped ? null : Interpreters.Of(worker);
        _pool = FreshPool.Start(command is null ? "compliance" : "foreign", options =>
        {
            options.Command = command;
            options.Launcher = launcher;
            options.MinWorkers = 0;
            options.MaxWorkers = 1;
            options.QueueLimit = 100;
            options.CancelGrace = TimeSpan.FromSeconds(60);
            options.StartTimeout = TimeSpan.FromSeconds(60);
            if (lingers)
            {
                options.Configuration["start"] = "linger";
            }
        });

        // The same methods of three types that have nothing else in common.
        switch (worker)
        {
            case Inline:
                var inline = _pool.GetProxy<IComplianceInlineClient>();
                (Add, Reverse, Ignore) = (inline.Add, (text, data, ct) => inline.Reverse(text, data, ct), inline.Ignore);
                Survivors = calls => Batch.Of(inline, calls, static (client, call) => client.Survive(call.Id, call.Dies));
                break;
            case Pumped:
                var pumped = _pool.GetProxy<ICompliancePumpedClient>();
                (Add, Reverse, Ignore) = (pumped.Add, (text, data, ct) => pumped.Reverse(text, data, ct), pumped.Ignore);
                Survivors = calls => Batch.Of(pumped, calls, static (client, call) => client.Survive(call.Id, call.Dies));
                break;
            default:
                var foreign = _pool.GetProxy<ICompliance>();
                (Add, Reverse, Ignore) = (foreign.Add, (text, data, ct) => new ValueTask<byte[]>(foreign.Reverse(text, data, ct)), foreign.Ignore);
                break;
        }
    }

    public WatchedLauncher Launcher { get; }

    public Func<int, int, CancellationToken, ValueTask<int>> Add { get; }

    public Func<string, ReadOnlyMemory<byte>, CancellationToken, ValueTask<byte[]>> Reverse { get; }

    public Func<int, CancellationToken, ValueTask<string>> Ignore { get; }

    /// <summary>Calls that are sent together; one of them kills. Only of workers that are sent calls ahead.</summary>
    public Func<IReadOnlyList<(int Id, int Dies)>, IAsyncEnumerable<BatchResult<int>>>? Survivors { get; }

    public string State => _pool.Snapshot().Workers is [var one] ? one.State : "";

    public ValueTask DisposeAsync() => _pool.DisposeAsync();
}
