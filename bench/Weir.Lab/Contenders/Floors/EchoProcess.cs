using System.Net.Sockets;

namespace Weir.Lab.Contenders.Floors;

/// <summary>The other side of <see cref="RoundTrips"/>, in a process of its own: over its standard input and output, or over a socket.</summary>
internal static class EchoProcess
{
    /// <summary>Answers until the other side is gone.</summary>
    /// <param name="path">Of a Unix socket, or null for standard input and output.</param>
    public static void Run(string? path)
    {
        if (path is null)
        {
            using var input = Console.OpenStandardInput();
            using var output = Console.OpenStandardOutput();
            Answer(input, output);
            return;
        }

        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Connect(new UnixDomainSocketEndPoint(path));
        using var stream = new NetworkStream(socket);
        Answer(stream, stream);
    }

    private static void Answer(Stream input, Stream output)
    {
        var question = new byte[RoundTrips.QuestionBytes];
        var answer = new byte[RoundTrips.AnswerBytes];
        while (input.ReadAtLeast(question, question.Length, throwOnEndOfStream: false) == question.Length)
            output.Write(answer);
    }
}
