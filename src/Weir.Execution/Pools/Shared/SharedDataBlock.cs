using Weir.Execution.Processes;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Shared;

/// <summary>One reading of a source: of its users, the first begins it, and with the last it is closed. Changed by the store, under its lock.</summary>
/// <param name="name">The name that operations use.</param>
/// <param name="generation">Which reading of the name it is, from 1.</param>
/// <param name="begunAt">The store's stamp when it began.</param>
internal sealed class SharedDataBlock(string name, long generation, long begunAt)
{
    private readonly TaskCompletionSource<SharedDataFile> _read = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Name => name;

    public long Generation => generation;

    public long BegunAt => begunAt;

    /// <summary>How many users it has.</summary>
    public int Users { get; set; }

    /// <summary>Cancels the reading when there is no user any more.</summary>
    public CancellationTokenSource Abandoned { get; } = new();

    /// <summary>Completes when the source is read.</summary>
    public Task<SharedDataFile> Read => _read.Task;

    /// <summary>The bytes; only once they are read.</summary>
    public SharedDataFile File => _read.Task.Result;

    /// <summary>As HELLO would describe it to a process that opens the files of this one.</summary>
    public SharedDataEntry AsOpenedHere() => new(name, File.Length, generation, File.OwnPath);

    public void Complete(SharedDataFile file) => _read.TrySetResult(file);

    public void Fail(Exception failure) => _read.TrySetException(failure);
}
