using System.IO.Pipes;
using Weir.Execution.Processes.Portable;
using Xunit;

namespace Weir.IntegrationTests.Processes;

public sealed class PipeChannelTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact(Timeout = 60_000)]
    public async Task A_sender_that_waits_while_the_last_bytes_are_written_is_called_back()
    {
        var name = $"weir-{Guid.NewGuid():N}";
        using var channel = new PipeChannel(new NamedPipeServerStream(name, PipeDirection.InOut, 1, PipeTransmissionMode.Byte, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly));
        var bytes = new byte[2 * SendBuffer.Capacity];
        Assert.Equal(SendBuffer.Capacity, channel.TrySend(bytes));

        // One byte has arrived: the channel has taken everything to write it, and has not written it all.
        await using var worker = new NamedPipeClientStream(".", name, PipeDirection.InOut, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);
        await worker.ConnectAsync(Cancel);
        await worker.ReadExactlyAsync(bytes.AsMemory(0, 1), Cancel);
        var writable = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        channel.WhenWritable(writable.SetResult);

        await worker.ReadExactlyAsync(bytes.AsMemory(0, SendBuffer.Capacity - 1), Cancel);
        await writable.Task.WaitAsync(Cancel);
        Assert.Equal(SendBuffer.Capacity, channel.TrySend(bytes));
    }
}
