using System.Net;
using System.Net.Sockets;

namespace Weir.Dashboard.Tests;

/// <summary>Passes connections on to an application, and cuts them when a test says so: nothing is said at their end.</summary>
internal sealed class CutProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Uri _target;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _accepting;
    private CancellationTokenSource _cut = new();
    private long _received;
    private int _refused;

    public CutProxy(Uri target)
    {
        _target = target;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public string Address => $"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}/";

    /// <summary>Bytes that the application has sent.</summary>
    public long Received => Interlocked.Read(ref _received);

    /// <summary>Connections that were closed at once.</summary>
    public int Refused => Volatile.Read(ref _refused);

    /// <summary>Whether new connections are closed at once.</summary>
    public bool IsDown { get; set; }

    /// <summary>Cuts the connections that there are.</summary>
    public void Cut() => Interlocked.Exchange(ref _cut, new CancellationTokenSource()).Cancel();

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        Cut();
        _listener.Dispose();
        await _accepting;
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync(_stop.Token);
                if (IsDown)
                {
                    Interlocked.Increment(ref _refused);
                    client.Dispose();
                }
                else
                {
                    _ = PassAsync(client, _cut.Token);
                }
            }
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private async Task PassAsync(TcpClient client, CancellationToken cut)
    {
        using var near = client;
        using var far = new TcpClient();
        try
        {
            await far.ConnectAsync(_target.Host, _target.Port, cut);
            await Task.WhenAny(CopyAsync(near.GetStream(), far.GetStream(), counts: false, cut), CopyAsync(far.GetStream(), near.GetStream(), counts: true, cut));
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException)
        {
        }

        // A reset, in the middle of what was sent.
        near.LingerState = new LingerOption(true, 0);
    }

    private async Task CopyAsync(NetworkStream from, NetworkStream to, bool counts, CancellationToken cut)
    {
        var buffer = new byte[16 * 1024];
        try
        {
            while (await from.ReadAsync(buffer, cut) is > 0 and var count)
            {
                await to.WriteAsync(buffer.AsMemory(0, count), cut);
                Interlocked.Add(ref _received, counts ? count : 0);
            }
        }
        catch (Exception failure) when (failure is OperationCanceledException or IOException or ObjectDisposedException)
        {
            // It was cut.
        }
    }
}
