using System.Collections.Concurrent;

namespace Weir.Jobs.Tests.Running;

/// <summary>What the operations of a test write, and what they wait for.</summary>
public sealed class Board
{
    private readonly ConcurrentDictionary<string, int> _counts = new();
    private readonly ConcurrentDictionary<string, TaskCompletionSource> _gates = new();

    public ConcurrentQueue<string> Lines { get; } = [];

    /// <summary>The jobs whose code runs now.</summary>
    public ConcurrentDictionary<Guid, byte> Inside { get; } = new();

    public void Add(string line) => Lines.Enqueue(line);

    public int Count(string name) => _counts.AddOrUpdate(name, 1, static (_, before) => before + 1);

    public Task Gate(string name) => Of(name).Task;

    public void Open(string name) => Of(name).TrySetResult();

    private TaskCompletionSource Of(string name) => _gates.GetOrAdd(name, static _ => new(TaskCreationOptions.RunContinuationsAsynchronously));
}
