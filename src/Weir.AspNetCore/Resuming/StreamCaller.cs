using System.Globalization;
using System.Net.Sockets;
using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Resuming;

/// <summary>
/// One caller's part of the memory of all resumable streams. While it has more than its share, its streams without a reader give way before any other caller's.
/// Used concurrently but for <see cref="Left"/> and <see cref="Streams"/>.
/// </summary>
/// <param name="name">What the caller is.</param>
/// <param name="share">Bytes.</param>
/// <param name="all">The memory that all have together.</param>
/// <param name="exceeded">Called whenever it has more than its share and had not.</param>
internal sealed class StreamCaller(string name, long share, ResumeMemory all, Action<StreamCaller> exceeded) : ResumeMemory(null)
{
    // What one customer of a network provider has at least.
    private const int NetworkBytes = 8;

    internal string Name => name;

    /// <summary>Whether it has more than its share.</summary>
    internal bool IsLarge => Used > share;

    /// <summary>Its streams without a reader. Guarded by the lock of <see cref="KeptStreams"/>.</summary>
    internal LeftStreams Left { get; } = new();

    /// <summary>How many streams it has. Guarded by the lock of <see cref="KeptStreams"/>.</summary>
    internal int Streams { get; set; }

    /// <summary>
    /// What a request's caller is counted as: the user; without one the address, of IPv6 the network of 64 bits, of which every host has all addresses. Behind a
    /// proxy all anonymous callers are one, unless the application restores their addresses (<c>ForwardedHeaders</c>).
    /// </summary>
    internal static string NameOf(HttpContext http)
    {
        if (StreamKey.Owner(http.User) is { Length: > 0 } user)
        {
            return user;
        }

        var address = http.Connection.RemoteIpAddress;
        return address switch
        {
            null => "@",
            { IsIPv4MappedToIPv6: true } => "@" + address.MapToIPv4(),
            { AddressFamily: AddressFamily.InterNetworkV6 } => "@" + Convert.ToHexString(address.GetAddressBytes().AsSpan(0, NetworkBytes)),
            _ => string.Create(CultureInfo.InvariantCulture, $"@{address}"),
        };
    }

    internal override bool TryReserve(long bytes)
    {
        if (!all.TryReserve(bytes))
        {
            return false;
        }

        Count(bytes);
        return true;
    }

    internal override void Reserve(long bytes)
    {
        all.Reserve(bytes);
        Count(bytes);
    }

    internal override void Release(long bytes)
    {
        base.Release(bytes);
        all.Release(bytes);
    }

    private void Count(long bytes)
    {
        var was = IsLarge;
        base.Reserve(bytes);
        if (!was && IsLarge)
        {
            exceeded(this);
        }
    }
}
