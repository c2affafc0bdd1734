using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;

namespace Weir.Lab.Processes;

/// <summary>Takes every connection that a PostgreSQL server has left, and each that becomes free, until it is disposed.</summary>
internal sealed class TakenConnections : IAsyncDisposable
{
    private const int Version = 0x0003_0000;

    private static readonly TimeSpan Between = TimeSpan.FromMilliseconds(50);

    private readonly CancellationTokenSource _over = new();

    // As many as the server has.
    private readonly List<Socket> _taken = [];
    private readonly Task _taking;

    /// <param name="folder">Of the server's socket.</param>
    /// <param name="user">Who connects.</param>
    /// <param name="database">To which of its databases.</param>
    public TakenConnections(string folder, string user, string database) => _taking = TakeAsync(new UnixDomainSocketEndPoint(Path.Combine(folder, ".s.PGSQL.5432")), Startup(user, database));

    /// <summary>How many there are.</summary>
    public int Count => _taken.Count;

    public async ValueTask DisposeAsync()
    {
        await _over.CancelAsync();
        await _taking.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        foreach (var socket in _taken)
            socket.Dispose();
        _over.Dispose();
    }

    // A length, the version of the protocol, and names with their values; the length counts itself.
    private static byte[] Startup(string user, string database)
    {
        var text = Encoding.UTF8.GetBytes($"user\0{user}\0database\0{database}\0\0");
        var message = new byte[8 + text.Length];
        BinaryPrimitives.WriteInt32BigEndian(message, message.Length);
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(4), Version);
        text.CopyTo(message, 8);
        return message;
    }

    private async Task TakeAsync(UnixDomainSocketEndPoint server, byte[] startup)
    {
        while (!_over.IsCancellationRequested)
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            if (await EntersAsync(socket, server, startup))
            {
                _taken.Add(socket);
                continue;
            }

            socket.Dispose();
            await Task.Delay(Between, _over.Token);
        }
    }

    // Whether the server is ready for it. An error may come first, or after it was authenticated: then there are as many as there may be.
    private async Task<bool> EntersAsync(Socket socket, UnixDomainSocketEndPoint server, byte[] startup)
    {
        try
        {
            await socket.ConnectAsync(server, _over.Token);
            await using var stream = new NetworkStream(socket, ownsSocket: false);
            await stream.WriteAsync(startup, _over.Token);
            var head = new byte[5];
            while (true)
            {
                await stream.ReadExactlyAsync(head, _over.Token);
                await stream.ReadExactlyAsync(new byte[BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(1)) - 4], _over.Token);
                if (head[0] is (byte)'Z' or (byte)'E')
                    return head[0] == (byte)'Z';
            }
        }
        catch (Exception refused) when (refused is SocketException or IOException)
        {
            return false;
        }
    }
}
