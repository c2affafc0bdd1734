using System.Text;
using Weir.AspNetCore.Streaming;

namespace Weir.Tests.AspNetCore;

/// <summary>A response that records what is sent, and accepts it only when the test allows it.</summary>
internal sealed class RecordedOutput : IStreamOutput
{
    private TaskCompletionSource? _gate;

    /// <summary>The bytes of each write.</summary>
    internal List<string> Writes { get; } = [];

    /// <summary>Everything sent.</summary>
    internal string Sent => string.Concat(Writes);

    internal int Commits { get; private set; }

    internal bool IsAborted { get; private set; }

    /// <summary>Whether writes find that the client has disconnected.</summary>
    internal bool IsDisconnected { get; set; }

    /// <summary>The exception that the next commit throws.</summary>
    internal Exception? CommitFailure { get; set; }

    public void Commit()
    {
        if (CommitFailure is { } failure)
        {
            throw failure;
        }

        Commits++;
    }

    public int PieceSize { get; set; } = int.MaxValue;

    /// <summary>Whether the last write was marked as the last.</summary>
    internal bool WasLast { get; private set; }

    public ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> bytes, bool isLast)
    {
        WasLast = isLast;
        Assert.Equal(1, Commits);
        if (IsDisconnected)
        {
            return new ValueTask<bool>(false);
        }

        Writes.Add(Encoding.UTF8.GetString(bytes.Span));
        return _gate is { } gate ? WaitAsync(gate) : new ValueTask<bool>(true);
    }

    public void Abort()
    {
        IsAborted = true;
        _gate?.TrySetResult();
    }

    /// <summary>Writes do not complete any more until <see cref="Open"/>.</summary>
    internal void Close() => _gate = new TaskCompletionSource();

    internal void Open()
    {
        var gate = _gate;
        _gate = null;
        gate?.TrySetResult();
    }

    private async ValueTask<bool> WaitAsync(TaskCompletionSource gate)
    {
        await gate.Task;
        return !IsDisconnected && !IsAborted;
    }
}
