using System.Net;
using Microsoft.AspNetCore.Http;

namespace Weir.Dashboard.Access;

/// <summary>
/// Recognises requests that a program on this machine sent directly. The address of the peer is not enough: a proxy on the same machine is such a peer for everyone, and a name that resolves to a loopback address lets a page of any
/// origin read the answer (DNS rebinding).
/// </summary>
internal static class LocalRequest
{
    private static readonly string[] Forwarding = ["Forwarded", "Via", "X-Real-IP"];
    private static readonly string[] ForwardingPrefixes = ["X-Forwarded-", "X-Original-"];

    /// <summary>Whether both ends are loopback addresses, the <c>Host</c> is <c>localhost</c> or such an address, and no header says that it was forwarded. Connections without addresses, such as Unix sockets, are not local: a proxy is behind them.</summary>
    public static bool Is(HttpContext http) =>
        IsLoopback(http.Connection.RemoteIpAddress)
        && IsLoopback(http.Connection.LocalIpAddress)
        && IsLocalHost(http.Request.Host.Host)
        && !IsForwarded(http.Request.Headers);

    private static bool IsLoopback(IPAddress? address) => address is not null && IPAddress.IsLoopback(address);

    // An address is read strictly: 127.1 and 2130706433 are names that a browser resolves.
    private static bool IsLocalHost(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address) && address.ToString() == host.Trim('[', ']'));

    private static bool IsForwarded(IHeaderDictionary headers)
    {
        foreach (var header in headers)
        {
            if (Forwarding.Contains(header.Key, StringComparer.OrdinalIgnoreCase) || ForwardingPrefixes.Any(prefix => header.Key.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)))
            {
                return true;
            }
        }

        return false;
    }
}
