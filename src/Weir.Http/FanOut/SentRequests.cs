using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Weir.Http.FanOut;

/// <summary>Which requests a fan-out has read already. One flow at a time.</summary>
internal sealed class SentRequests
{
    // The first half of a SHA-256 stands for an address: two that differ never meet in practice.
    private readonly Dictionary<UInt128, long> _first = [];

    /// <summary>The index of an equal request; <c>null</c> when there was none, and for requests that are never equal.</summary>
    public long? FindOrAdd(long index, HttpRequestMessage? request, Uri? baseAddress)
    {
        if (request is not { Content: null, RequestUri: { } address } || (request.Method != HttpMethod.Get && request.Method != HttpMethod.Head) || request.Headers.Any())
        {
            return null;
        }

        if ((!address.IsAbsoluteUri && (baseAddress is null || !Uri.TryCreate(baseAddress, address, out address))) || HostKey.Of(address) == default)
        {
            return null;
        }

        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(Encoding.UTF8.GetBytes($"{request.Method} {address.GetComponents(UriComponents.HttpRequestUrl, UriFormat.UriEscaped)}"), hash);
        var key = BinaryPrimitives.ReadUInt128LittleEndian(hash);
        if (_first.TryGetValue(key, out var first))
        {
            return first;
        }

        _first.Add(key, index);
        return null;
    }
}
