using System.Diagnostics;
using System.Net.Security;
using System.Net.Sockets;
using Weir.Lab.Engine;

namespace Weir.Lab.Contenders.Floors;

/// <summary>What no client can be faster than: the wait of the endpoint, and one connection opened on a bare socket.</summary>
internal static class ConnectFloor
{
    private const int Connects = 5;

    public static LocalContender Of(Func<Task<Uri>> address, TimeSpan wait) => new("floor", async cancellation =>
    {
        var url = await address();
        var times = new List<double>(Connects);
        for (var i = 0; i < Connects; i++)
            times.Add(await ConnectAsync(url, cancellation));
        var connect = Summary.Of(times).Median;
        var total = wait.TotalSeconds + connect;
        return new Round().Add("time", total, "s").AddRate("iterations/s", 1, total).Add("connect", connect * 1000, "ms");
    });

    private static async Task<double> ConnectAsync(Uri url, CancellationToken cancellation)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        var began = Stopwatch.GetTimestamp();
        await socket.ConnectAsync(url.Host, url.Port, cancellation);
        if (url.Scheme == Uri.UriSchemeHttps)
        {
            await using var stream = new SslStream(new NetworkStream(socket), leaveInnerStreamOpen: false, static (_, certificate, _, _) => certificate?.Subject == "CN=127.0.0.1");
            await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = url.Host }, cancellation);
            return Stopwatch.GetElapsedTime(began).TotalSeconds;
        }

        return Stopwatch.GetElapsedTime(began).TotalSeconds;
    }
}
