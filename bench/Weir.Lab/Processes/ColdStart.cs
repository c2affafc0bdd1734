using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>Starts a web application and measures the time from exec to the first byte of its first response.</summary>
internal static class ColdStart
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    /// <param name="file">The executable.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="path">What is requested.</param>
    /// <param name="answer">The whole body of the response.</param>
    /// <param name="metric">What the time is called.</param>
    /// <param name="cancellation">Cancels the round.</param>
    public static async Task<Round> RunAsync(string file, IEnumerable<string> arguments, string path, string answer, string metric, CancellationToken cancellation)
    {
        var port = FreePort();
        var began = Clock.Now;
        using var process = Process.Start(new ProcessStartInfo(file, [.. arguments, "--urls", string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}")])
        {
            RedirectStandardOutput = true,
        })!;
        try
        {
            var first = await Task.Run(() => FirstByte(process, port, path, answer), cancellation);
            return new Round()
                .Add(metric, Clock.MillisecondsBetween(began, first), "ms")
                .Add("private memory", new ProcessMeter(process.Id).PrivateDirty / 1e6, "MB");
        }
        finally
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
        }
    }

    /// <summary>Asks until the program listens.</summary>
    /// <returns>When the first byte of its response was here; the response must be the expected one to its end.</returns>
    public static long FirstByte(Process process, int port, string path, string answer)
    {
        var began = Clock.Now;
        while (Clock.SecondsSince(began) < Patience.TotalSeconds && !process.HasExited)
        {
            try
            {
                using var stream = RawStream.Get(port, path);
                long first = 0;
                var body = new StringBuilder();
                stream.Read((part, now) =>
                {
                    first = first == 0 ? now : first;
                    body.Append(Encoding.UTF8.GetString(part));
                });
                return stream.Status == 200 && body.ToString() == answer
                    ? first
                    : throw new InvalidDataException($"{path} gave {stream.Status} and '{body}'.");
            }
            catch (SocketException)
            {
                Thread.Sleep(1);
            }
        }

        throw new TimeoutException($"Nothing listened for {Patience.TotalSeconds} s, or the program ended.");
    }

    /// <summary>A port on which nothing listens.</summary>
    public static int FreePort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
