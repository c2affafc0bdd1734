using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>Stands between a store and its server, and cuts the connection on which a text is sent: before the server has it, or after the server has answered and before its client knows.</summary>
internal sealed class CuttingProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _closed = new();
    private readonly int _server;
    private readonly Task _accepts;
    private string? _text;
    private bool _after;

    public CuttingProxy(int server)
    {
        _server = server;
        _listener.Start();
        _accepts = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public string ConnectionString => FormattableString.Invariant($"Host=127.0.0.1;Port={Port};Username=postgres;Database=postgres;SSL Mode=Disable;GSS Encryption Mode=Disable");

    /// <summary>How many connections it has cut.</summary>
    public int Cuts { get; private set; }

    /// <summary>Whether new connections are refused.</summary>
    public volatile bool IsClosed;

    /// <summary>Cuts the next connection that sends a text, once.</summary>
    public void CutAt(string text, bool afterAnswer) => (_text, _after) = (text, afterAnswer);

    public async ValueTask DisposeAsync()
    {
        await _closed.CancelAsync();
        _listener.Stop();
        await _accepts;
        _closed.Dispose();
    }

    private async Task AcceptAsync()
    {
        var connections = new List<Task>();
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync(_closed.Token);
                connections.Add(ServeAsync(client));
            }
        }
        catch (Exception error) when (error is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            await Task.WhenAll(connections);
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        using var server = new TcpClient();
        using (client)
        {
            if (IsClosed)
            {
                client.Client.Close(0);
                return;
            }

            await server.ConnectAsync(IPAddress.Loopback, _server);
            using var end = CancellationTokenSource.CreateLinkedTokenSource(_closed.Token);
            var isCutting = new StrongBox();
            await Task.WhenAny(ToServerAsync(client.GetStream(), server.GetStream(), isCutting, end.Token), ToClientAsync(server.GetStream(), client.GetStream(), isCutting, end.Token));
            await end.CancelAsync();
            client.Client.Close(0);
        }
    }

    private async Task ToServerAsync(NetworkStream from, NetworkStream to, StrongBox isCutting, CancellationToken cancellationToken)
    {
        var buffer = new byte[1024 * 1024];
        try
        {
            while (await from.ReadAsync(buffer, cancellationToken) is > 0 and var read)
            {
                if (_text is { } text && buffer.AsSpan(0, read).IndexOf(Encoding.ASCII.GetBytes(text)) >= 0)
                {
                    _text = null;
                    Cuts++;
                    if (!_after)
                    {
                        return;
                    }

                    isCutting.Value = true;
                }

                await to.WriteAsync(buffer.AsMemory(0, read), cancellationToken);
            }
        }
        catch (Exception error) when (error is IOException or OperationCanceledException or SocketException)
        {
            // One side is gone.
        }
    }

    // An answer that is to be lost is read to its end: the last message of it is ReadyForQuery, "Z" with four bytes of length and one of state.
    private static async Task ToClientAsync(NetworkStream from, NetworkStream to, StrongBox isCutting, CancellationToken cancellationToken)
    {
        var buffer = new byte[1024 * 1024];
        try
        {
            while (await from.ReadAsync(buffer, cancellationToken) is > 0 and var read)
            {
                if (isCutting.Value)
                {
                    if (read >= 6 && buffer[read - 6] == (byte)'Z' && BinaryPrimitives.ReadInt32BigEndian(buffer.AsSpan(read - 5)) == 5)
                    {
                        return;
                    }

                    continue;
                }

                await to.WriteAsync(buffer.AsMemory(0, read), cancellationToken);
            }
        }
        catch (Exception error) when (error is IOException or OperationCanceledException or SocketException)
        {
            // One side is gone.
        }
    }

    private sealed class StrongBox
    {
        public volatile bool Value;
    }
}
