using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Weir.Lab.Load;

/// <summary>Senders of large bodies that leave before their body has ended: several at a time, each upload over a connection of its own.</summary>
internal sealed class AbortedUploads(IPEndPoint server, string path, int bytes)
{
    private const int AtOnce = 8;
    private const int PieceBytes = 256 * 1024;

    // What the server refuses to read for so long ends the upload.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>Begins so many uploads and breaks each off after a tenth to nearly all of its body: in every run at the same places.</summary>
    public Task RunAsync(int uploads, CancellationToken cancellation) => Task.WhenAll(Enumerable.Range(0, AtOnce).Select(sender => Task.Run(
        () =>
        {
            var random = new Random(sender);
            var piece = new byte[PieceBytes];
            for (var i = sender; i < uploads; i += AtOnce)
            {
                cancellation.ThrowIfCancellationRequested();
                Upload(piece, random.Next(bytes / 10, bytes));
            }
        },
        cancellation)));

    private void Upload(byte[] piece, int leaveAfter)
    {
        using var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { SendTimeout = (int)Patience.TotalMilliseconds };
        try
        {
            socket.Connect(server);
            socket.Send(Encoding.ASCII.GetBytes(string.Create(
                CultureInfo.InvariantCulture, $"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\nContent-Length: {bytes}\r\n\r\n")));
            for (var sent = 0; sent < leaveAfter;)
                sent += socket.Send(piece, Math.Min(piece.Length, leaveAfter - sent), SocketFlags.None);
        }
        catch (SocketException)
        {
            // Refused or broken off by the server: then it holds nothing of it either.
        }
    }
}
