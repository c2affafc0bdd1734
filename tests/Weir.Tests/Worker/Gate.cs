namespace Weir.Tests.Worker;

/// <summary>An event that a test waits for or triggers.</summary>
internal sealed class Gate : IDisposable
{
    private readonly ManualResetEventSlim _open = new();

    internal void Open() => _open.Set();

    internal void Pass() => Assert.True(_open.Wait(MemoryPipe.Patience, CancellationToken.None));

    /// <summary>For asynchronous code: another thread waits, not the calling one.</summary>
    internal Task PassAsync() => Task.Run(Pass, CancellationToken.None);

    public void Dispose() => _open.Dispose();
}
