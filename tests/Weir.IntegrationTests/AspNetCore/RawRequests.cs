using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>One connection, always with the same requests, whose responses are all equally long. It allocates nothing once it is open.</summary>
internal sealed class RawRequests : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveTimeout = 10_000 };
    private readonly byte[] _requests;
    private readonly byte[] _received = new byte[64 * 1024];
    private readonly int _depth;

    /// <summary>Connects, and sends the request once.</summary>
    /// <param name="port">On 127.0.0.1.</param>
    /// <param name="path">What is requested.</param>
    /// <param name="depth">How many requests are sent together.</param>
    internal RawRequests(int port, string path, int depth)
    {
        _depth = depth;
        _requests = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat($"GET {path} HTTP/1.1\r\nHost: test\r\n\r\n", depth)));
        _socket.Connect(IPAddress.Loopback, port);
        _socket.Send(_requests.AsSpan(0, _requests.Length / depth));
        Answer = Encoding.ASCII.GetString(_received, 0, _socket.Receive(_received));
    }

    /// <summary>The first response.</summary>
    internal string Answer { get; }

    public void Dispose() => _socket.Dispose();

    internal void Send() => _socket.Send(_requests);

    internal void Receive()
    {
        for (var missing = _depth * Answer.Length; missing > 0;)
        {
            var count = _socket.Receive(_received);
            missing -= count > 0 && count <= missing ? count : throw new IOException($"{count} bytes came where {missing} were missing.");
        }
    }
}
