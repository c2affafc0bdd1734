using System.IO.Pipes;
using Weir.Worker.Channels;

namespace Weir.Worker.Platform;

/// <summary>A named pipe of the host: the channel where descriptors cannot be inherited.</summary>
internal sealed class WorkerPipeChannel : IChannel, IDisposable
{
    // The host made the pipe before it started this process.
    private const int ConnectMilliseconds = 5000;

    private readonly NamedPipeClientStream _pipe;

    /// <summary>Connects.</summary>
    /// <exception cref="InvalidOperationException">There is no such pipe, or it belongs to another user.</exception>
    public WorkerPipeChannel(string name)
    {
        _pipe = new NamedPipeClientStream(".", name, PipeDirection.InOut, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);
        try
        {
            _pipe.Connect(ConnectMilliseconds);
        }
        catch (Exception refused) when (refused is IOException or TimeoutException or UnauthorizedAccessException)
        {
            _pipe.Dispose();
            throw new InvalidOperationException($"The host's pipe {name} cannot be opened: {refused.Message}", refused);
        }
    }

    public int Receive(Span<byte> buffer)
    {
        try
        {
            return _pipe.Read(buffer);
        }
        catch (Exception ended) when (ended is IOException or ObjectDisposedException or InvalidOperationException)
        {
            return 0;
        }
    }

    public void Send(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _pipe.Write(bytes);
        }
        catch (Exception ended) when (ended is IOException or ObjectDisposedException or InvalidOperationException)
        {
            throw new ChannelEndedException();
        }
    }

    /// <summary>Does nothing: one direction of a pipe cannot be ended alone. The process ends next, and that ends the pipe.</summary>
    public void EndSending()
    {
    }

    public void Dispose() => _pipe.Dispose();
}
