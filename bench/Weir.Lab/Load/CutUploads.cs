using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>Sends uploads that are cut at random bytes, and a few that are whole, several at a time, each over a connection of its own.</summary>
/// <param name="server">The server.</param>
/// <param name="service">The service that takes them.</param>
/// <param name="folder">Where its operations write down what they took.</param>
/// <param name="seed">Of lengths and places.</param>
internal sealed class CutUploads(IPEndPoint server, string service, string folder, int seed)
{
    private const int AtOnce = 8;

    // Longer than any answer takes, shorter than a server waits for a sender.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    // For an operation to begin; one that is sent nothing to read may not.
    private static readonly TimeSpan BeginPatience = TimeSpan.FromMilliseconds(250);

    private int _hung;
    private int _accepted;
    private int _refused;

    /// <summary>Callers that got no answer, and whose connection was not closed, for long.</summary>
    public int Hung => _hung;

    /// <summary>Uploads that were cut, and answered as if they had been whole.</summary>
    public int Accepted => _accepted;

    /// <summary>Whole uploads that were not answered with success.</summary>
    public int Refused => _refused;

    /// <summary>Sends so many.</summary>
    public Task RunAsync(int count, CancellationToken cancellation) => Task.WhenAll(Enumerable.Range(0, AtOnce).Select(sender => Task.Factory.StartNew(
        () =>
        {
            var request = new ArrayBufferWriter<byte>();
            for (var number = sender; number < count; number += AtOnce)
            {
                cancellation.ThrowIfCancellationRequested();
                request.ResetWrittenCount();
                Send(Upload.Of(number, seed), request);
            }
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default)));

    /// <summary>What so many of them are where they were read.</summary>
    public UploadComparison Compare(UploadMarks marks, int count)
    {
        var all = Enumerable.Range(0, count).Select(number => Upload.Of(number, seed)).ToArray();
        return new UploadComparison(
            Cut: all.Count(static upload => !upload.IsWhole),
            Begun: all.Count(upload => !upload.IsWhole && marks.HasBegun(upload.Number)),
            LookComplete: all.Count(upload => !upload.IsWhole && marks.LooksComplete(upload.Number, upload.Lengths)),
            Whole: all.Count(static upload => upload.IsWhole),
            Missing: all.Count(upload => upload.IsWhole && !marks.IsComplete(upload.Number, upload.Lengths)));
    }

    private void Send(Upload upload, ArrayBufferWriter<byte> request)
    {
        upload.Write(request, service, folder);
        using var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            SendTimeout = (int)Patience.TotalMilliseconds,
            ReceiveTimeout = (int)Patience.TotalMilliseconds,
        };
        socket.Connect(server);
        try
        {
            for (var bytes = request.WrittenSpan; !bytes.IsEmpty;)
                bytes = bytes[socket.Send(bytes)..];
            if (upload.IsCutWhileRead)
                WaitUntilBegun(upload);
            if (upload.Kind.Ending == UploadEnding.Resets)
            {
                socket.LingerState = new LingerOption(true, 0);
                return;
            }

            if (upload.Kind.Ending == UploadEnding.Closes)
                socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException failure) when (failure.SocketErrorCode != SocketError.TimedOut)
        {
            // It was answered and closed before it was read to its end, which reading shows.
        }
        catch (SocketException)
        {
            Interlocked.Increment(ref _hung);
            return;
        }

        var succeeded = Read(socket);
        if (succeeded && !upload.IsWhole)
            Interlocked.Increment(ref _accepted);
        else if (!succeeded && upload.IsWhole)
            Interlocked.Increment(ref _refused);
    }

    private void WaitUntilBegun(Upload upload)
    {
        var (began, mark) = (Clock.Now, UploadMarks.BeginFileOf(folder, upload.Number));
        while (!File.Exists(mark) && Clock.SecondsSince(began) < BeginPatience.TotalSeconds)
            Thread.Sleep(1);
    }

    // Whether the answer is one of success.
    private bool Read(Socket socket)
    {
        var buffer = new byte[4096];
        var decoder = new BodyDecoder();
        try
        {
            while (!decoder.IsComplete && socket.Receive(buffer) is > 0 and var count)
                decoder.Feed(buffer.AsSpan(0, count), static _ => { });
        }
        catch (SocketException failure)
        {
            if (failure.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
                Interlocked.Increment(ref _hung);
        }

        return decoder.IsComplete && decoder.Status == 200;
    }
}
