namespace Weir.Lab.Isolation;

/// <summary>No isolation at all: the document's control.</summary>
public sealed class InProcessWorker : IsolatedWorker
{
    private readonly TaskKind _kind;

    public InProcessWorker(TaskKind kind) => _kind = kind;

    public override PendingTask QueueTask(int size) =>
        new PendingTask(isDone: true) { ReturnValue = new HelloTask().DoTask(_kind, size) };

    public override PendingTask QueueTask(byte[] buffer) =>
        new PendingTask(isDone: true) { ReturnValue = new HelloTask().DoTask(_kind, buffer) };

    public override void Stop()
    {
    }
}
