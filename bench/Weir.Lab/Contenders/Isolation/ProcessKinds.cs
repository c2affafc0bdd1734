using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Isolation;

/// <summary>What people do who keep kinds of task apart: a process for each kind, there before it is needed.</summary>
internal sealed class ProcessKinds : IDisposable
{
    // Bounded by the two requests of a round.
    private readonly List<(SingleProcessWorker Worker, Lock Gate)> _kinds = [];

    public int Count => _kinds.Count;

    /// <summary>So many <c>kinds</c> more, and the worker program.</summary>
    public void Open(ControlLine request)
    {
        var program = new WorkerProgram(request["runner"], request["worker"]);
        for (var i = request.Int("kinds"); i > 0; i--)
            _kinds.Add((new SingleProcessWorker(program, LineProtocol.Blob, TaskKind.Load), new Lock()));
    }

    public Task CallAsync(int kind, int bytes)
    {
        // Its worker speaks with one caller at a time.
        lock (_kinds[kind].Gate)
        {
            using var pending = _kinds[kind].Worker.QueueTask(new byte[bytes]);
            HelloAnswer.Checked(TaskKind.Load, pending.ReturnValue);
        }

        return Task.CompletedTask;
    }

    public void Dispose()
    {
        foreach (var (worker, _) in _kinds)
            worker.Dispose();
    }
}
