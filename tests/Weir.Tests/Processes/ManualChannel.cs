using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

/// <summary>A channel with as much space as a test gives it; it keeps the bytes that were sent.</summary>
internal sealed class ManualChannel : WorkerChannel
{
    private Action? _onWritable;
    private int _looks;

    public List<byte> Sent { get; } = [];

    /// <summary>How often bytes were sent.</summary>
    public int Sends { get; private set; }

    /// <summary>The number of bytes that may still be sent; <c>-1</c> when the reader has ended.</summary>
    public int Space { get; set; } = int.MaxValue;

    /// <summary>Whether there is space for one byte at every second check.</summary>
    public bool IsDripping { get; set; }

    public void GiveSpace(int bytes)
    {
        Space = bytes;
        var callback = _onWritable;
        _onWritable = null;
        callback?.Invoke();
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        if (Space < 0)
        {
            return -1;
        }

        if (IsDripping)
        {
            Space = _looks++ % 2;
        }

        var taken = bytes[..Math.Min(bytes.Length, Space)];
        Sent.AddRange(taken);
        Sends += taken.Length > 0 ? 1 : 0;
        Space -= taken.Length;
        return taken.Length;
    }

    public override void WhenWritable(Action callback) => _onWritable = callback;

    public override int Receive(Span<byte> buffer) => throw new NotSupportedException();

    public override int TryReceive(Span<byte> buffer) => throw new NotSupportedException();

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation) => throw new NotSupportedException();

    public override Task FinishAsync() => throw new NotSupportedException();

    public override void End()
    {
    }

    public override void Dispose()
    {
    }
}
