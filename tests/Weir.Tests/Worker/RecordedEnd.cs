using Weir.Worker.Platform;

namespace Weir.Tests.Worker;

/// <summary>Records the exit instead of ending the process.</summary>
internal sealed class RecordedEnd : IProcessExit
{
    private readonly TaskCompletionSource<string> _end = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary><c>exit 0</c> or <c>abort 3</c>.</summary>
    internal string Wait() => _end.Task.Wait(MemoryPipe.Patience) ? _end.Task.Result : throw new TimeoutException("The worker has not ended.");

    internal bool HasEnded => _end.Task.IsCompleted;

    public void Exit(int code) => _end.SetResult($"exit {code}");

    public void Abort(int code) => _end.SetResult($"abort {code}");
}
