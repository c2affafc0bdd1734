using System.Net;
using System.Net.Sockets;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>A way to a server that can stop to pass anything on, without an end of the connections: as a network does that loses everything, and a process that is stopped.</summary>
internal sealed class StallingProxy : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _end = new();
    private readonly int _target;
    private TaskCompletionSource _flows = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public StallingProxy(int target)
    {
        _target = target;
        _flows.SetResult();
        _listener.Start();
        _ = AcceptAsync();
    }

    public string ConnectionString => $"Host=127.0.0.1;Port={((IPEndPoint)_listener.LocalEndpoint).Port};Username=postgres;Database=postgres";

    public void Stall() => _flows = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Flow() => _flows.TrySetResult();

    public void Dispose()
    {
        _end.Cancel();
        _listener.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var from = await _listener.AcceptSocketAsync(_end.Token);
                var to = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                from.NoDelay = true;
                await to.ConnectAsync(IPAddress.Loopback, _target, _end.Token);
                _ = PassAsync(from, to);
                _ = PassAsync(to, from);
            }
        }
        catch (Exception error) when (error is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task PassAsync(Socket from, Socket to)
    {
        var buffer = new byte[16 * 1024];
        try
        {
            while (await from.ReceiveAsync(buffer, _end.Token) is > 0 and var length)
            {
                await _flows.Task.WaitAsync(_end.Token);
                for (var sent = 0; sent < length;)
                {
                    sent += await to.SendAsync(buffer.AsMemory(sent, length - sent), _end.Token);
                }
            }
        }
        catch (Exception error) when (error is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }

        from.Dispose();
        to.Dispose();
    }
}
