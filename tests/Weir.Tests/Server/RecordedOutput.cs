using System.Text;
using Weir.Server.Streaming;

namespace Weir.Tests.Server;

/// <summary>A response that keeps what is sent, and takes it only when the test lets it.</summary>
internal sealed class RecordedOutput : IStreamOutput
{
    private TaskCompletionSource? _gate;

    /// <summary>What each write sent.</summary>
    internal List<string> Writes { get; } = [];

    /// <summary>Everything sent.</summary>
    internal string Sent => string.Concat(Writes);

    internal int Commits { get; private set; }

    internal bool IsAborted { get; private set; }

    /// <summary>What the next commit throws.</summary>
    internal Exception? CommitFailure { get; set; }

    public void Commit()
    {
        if (CommitFailure is { } failure)
        {
            throw failure;
        }

        Commits++;
    }

    public ValueTask WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        Assert.Equal(1, Commits);
        Writes.Add(Encoding.UTF8.GetString(bytes.Span));
        return _gate is { } gate ? new ValueTask(gate.Task) : default;
    }

    public void Abort()
    {
        IsAborted = true;
        _gate?.TrySetResult();
    }

    /// <summary>Writes end no more until <see cref="Open"/>.</summary>
    internal void Close() => _gate = new TaskCompletionSource();

    internal void Open()
    {
        var gate = _gate;
        _gate = null;
        gate?.TrySetResult();
    }
}
