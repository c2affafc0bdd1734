namespace Weir.Tests.Worker;

/// <summary>Something that has not happened yet.</summary>
internal sealed class Gate : IDisposable
{
    private readonly ManualResetEventSlim _open = new();

    internal void Open() => _open.Set();

    internal void Pass() => Assert.True(_open.Wait(MemoryPipe.Patience, CancellationToken.None));

    /// <summary>For asynchronous code: some thread waits, not the one that asks.</summary>
    internal Task PassAsync() => Task.Run(Pass, CancellationToken.None);

    public void Dispose() => _open.Dispose();
}
