using System.Text;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Processes;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.Runtime;

namespace Weir.IntegrationTests.Pools;

/// <summary>A pool of scripted workers: real processes, real channels, and everything a worker may do wrong.</summary>
internal sealed class ScriptedPool : IAsyncDisposable
{
    private ScriptedPool(WorkerPool pool, RecordedLog log)
    {
        Pool = pool;
        Log = log;
    }

    public WorkerPool Pool { get; }

    public RecordedLog Log { get; }

    public IEnumerable<int> Pids => Pool.Snapshot().Workers.Select(worker => worker.ProcessId);

    public static ScriptedPool Start(Action<PoolOptions>? configure = null, string start = "well", RecordedLog? log = null, string? program = null, IWorkerLauncher? launcher = null, IReadOnlyList<Operation>? operations = null)
    {
        var options = new PoolOptions { MinWorkers = 0, MaxWorkers = 2, StandbyWorkers = 0, StartTimeout = TestPools.StartTimeout };
        configure?.Invoke(options);
        options.Validate("test");
        log ??= new RecordedLog();
        launcher ??= WorkerLauncherFactory.ForThisPlatform();
        var command = WorkerCommand.ForThisProcess();
        var pool = new WorkerPool(
            new PoolDefinition
            {
                Name = "test",
                Options = options,
                Program = new WorkerProgram(
                    program ?? command.FileName,
                    ["exec", Path.Combine(AppContext.BaseDirectory, "Weir.ScriptedWorker.dll"), start],
                    WorkerEnvironment.FromThisProcess(options)),
                Launcher = launcher,
                Limits = launcher.Prepare(options),
                Operations = operations ?? ScriptedService.Service.Operations,
                SharedData = options.SharedDataSources.Count == 0 ? null : new SharedDataSet(SharedDataStore.Shared, options.SharedDataSources, isPortable: false, stamp: 0),
                Loggers = log,
                Time = TimeProvider.System,
            },
            []);
        pool.Open();
        return new ScriptedPool(pool, log);
    }

    public Task<string> DoAsync(string script, CallRequest request = default) => DoAsync(Encoding.UTF8.GetBytes(script), request);

    public async Task<string> DoAsync(ReadOnlyMemory<byte> script, CallRequest request = default)
    {
        var call = new ScriptedCall(script);
        await Pool.Pipeline.RunAsync(call, request).AsTask().WithinAsync(60);
        return call.Value;
    }

    /// <summary>Makes calls as one event: a worker that is known to be quick gets them together, also while other tests use the processors.</summary>
    public Task<string>[] DoTogether(params string[] scripts)
    {
        var group = new CallGroup();
        group.Collect();
        var calls = scripts.Select(script => DoAsync(script, new CallRequest { Group = group })).ToArray();
        group.Start();
        return calls;
    }

    public static CallRequest Until(CancellationToken token) => new() { CancellationToken = token };

    /// <summary>Takes the items of a stream; the pump is the reader.</summary>
    public async Task<List<string>> StreamAsync(string script, Func<int, Task>? onItem = null, CallRequest request = default)
    {
        var call = new ScriptedStream(script);
        var pump = new ListPump(call, onItem);
        try
        {
            await Pool.Pipeline.RunStreamAsync(call, pump, request).AsTask().WithinAsync(60);
        }
        catch (Exception failure)
        {
            failure.Data["items"] = pump.Items;
            throw;
        }

        return pump.Items;
    }

    public Task<bool> SettlesAsync(Func<PoolSnapshot, bool> holds, double seconds = 60) =>
        ProcFiles.EventuallyAsync(() => holds(Pool.Snapshot()), TimeSpan.FromSeconds(seconds));

    public ValueTask DisposeAsync() => Pool.DisposeAsync();

    private sealed class ListPump(ScriptedStream call, Func<int, Task>? onItem) : IStreamPump
    {
        public List<string> Items { get; } = [];

        public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
        {
            while (await source.MoveNextAsync())
            {
                Items.Add(call.ReadItem(((EncodedItemSource)source).Current.Span));
                if (onItem is not null)
                {
                    await onItem(Items.Count);
                }
            }
        }

        public void Pump(BlockingItemSource source, CancellationToken cancellationToken) => throw new NotSupportedException();
    }
}
