using System.Net.Sockets;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Floors;

/// <summary>The other side of <see cref="RoundTrips"/>, in a process of its own: over its standard input and output, or over a socket.</summary>
internal static class EchoProcess
{
    /// <summary>Answers until the other side is gone.</summary>
    /// <param name="settings">The work, and the <c>path</c> of a Unix socket, or none for standard input and output.</param>
    public static void Run(ControlLine settings)
    {
        var work = new FloorWork(settings["mode"], Enum.Parse<TaskKind>(settings["kind"]), settings.Int("bytes"));
        if (settings.Text("path", "") is not { Length: > 0 } path)
        {
            using var input = Console.OpenStandardInput();
            using var output = Console.OpenStandardOutput();
            Answer(work, input, output);
            return;
        }

        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Connect(new UnixDomainSocketEndPoint(path));
        using var stream = new NetworkStream(socket);
        Answer(work, stream, stream);
    }

    private static void Answer(FloorWork work, Stream input, Stream output)
    {
        while (input.ReadAtLeast(work.Question, work.Question.Length, throwOnEndOfStream: false) == work.Question.Length)
        {
            work.Do();
            output.Write(work.Answer);
        }
    }
}
