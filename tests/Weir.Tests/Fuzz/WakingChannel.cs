using Weir.Execution.Processes;
using Weir.Worker.Channels;

namespace Weir.Tests.Fuzz;

/// <summary>The socket beside shared memory, of either side: a given number of wakes, and then the end. No thread waits for it.</summary>
internal sealed class WakingChannel(int wakes) : WorkerChannel, IChannel
{
    private int _left = wakes;

    public override int Receive(Span<byte> buffer) => _left-- > 0 ? 1 : 0;

    public override int TryReceive(Span<byte> buffer) => throw new NotSupportedException("The region is there.");

    public override int TrySend(ReadOnlySpan<byte> bytes) => bytes.Length;

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation) => throw new NotSupportedException();

    public override Task FinishAsync() => throw new NotSupportedException();

    public override void WhenWritable(Action callback) => throw new NotSupportedException("There is always space.");

    public override void End() => _left = 0;

    public override void Dispose()
    {
    }

    void IChannel.Send(ReadOnlySpan<byte> bytes) => throw new NotSupportedException("The region is there.");

    void IChannel.EndSending()
    {
    }
}
