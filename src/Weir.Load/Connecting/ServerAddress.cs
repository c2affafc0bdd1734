using System.Net;
using System.Net.Sockets;

namespace Weir.Load.Connecting;

/// <summary>Which of the addresses of a server accepts connections.</summary>
internal static class ServerAddress
{
    /// <summary>The first that a connection can be opened to; it is closed again. Throws an <see cref="HttpRequestException"/> when there is none.</summary>
    public static async Task<IPEndPoint> FindAsync(LoadOptions options, CancellationToken cancellationToken)
    {
        var failure = default(SocketException);
        foreach (var address in await ResolveAsync(options.Address.IdnHost, cancellationToken).ConfigureAwait(false))
        {
            var server = new IPEndPoint(address, options.Address.Port);
            failure = await TryConnectAsync(server, options.Timeout, cancellationToken).ConfigureAwait(false);
            if (failure is null)
            {
                return server;
            }
        }

        var why = failure?.SocketErrorCode switch
        {
            SocketError.ConnectionRefused => "connection refused; is the server running, and is the port right?",
            SocketError.TimedOut => $"no connection within {options.Timeout.TotalSeconds:0.###} s; is a firewall between?",
            _ => failure?.Message ?? "the name has no address.",
        };
        throw new HttpRequestException(HttpRequestError.ConnectionError, $"{options.Address.IdnHost}:{options.Address.Port}: {why}", failure);
    }

    private static async Task<IPAddress[]> ResolveAsync(string host, CancellationToken cancellationToken)
    {
        try
        {
            return await Dns.GetHostAddressesAsync(host, cancellationToken).ConfigureAwait(false);
        }
        catch (ArgumentException wrong)
        {
            // One that means every address of a machine, or that no name server is asked for.
            throw new HttpRequestException(HttpRequestError.NameResolutionError, $"the host '{host}' is none that can be connected to: {wrong.Message.Split(" (Parameter")[0]}", wrong);
        }
        catch (SocketException failure)
        {
            throw new HttpRequestException(HttpRequestError.NameResolutionError, $"The host '{host}' is unknown ({failure.Message}); check the name.", failure);
        }
    }

    private static async Task<SocketException?> TryConnectAsync(IPEndPoint server, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        using var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(server, limit.Token).ConfigureAwait(false);
            return null;
        }
        catch (SocketException failure)
        {
            return failure;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return new SocketException((int)SocketError.TimedOut);
        }
    }
}
