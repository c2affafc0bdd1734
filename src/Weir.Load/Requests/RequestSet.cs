using System.Globalization;
using System.Text;

namespace Weir.Load.Requests;

/// <summary>Prepared requests of HTTP/1.1, taken in turn: one for constant arguments, many for varying ones.</summary>
/// <remarks>One reader at a time.</remarks>
internal sealed class RequestSet(IReadOnlyList<byte[]> requests)
{
    private int _next;

    public int Count => requests.Count;

    public static RequestSet Get(params IEnumerable<string> paths) => new([.. paths.Select(GetBytes)]);

    /// <summary>A GET of a path on this machine.</summary>
    public static byte[] GetBytes(string path) => Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");

    /// <summary>The request that options describe.</summary>
    public static byte[] BytesOf(LoadOptions options)
    {
        var head = new StringBuilder().Append(CultureInfo.InvariantCulture, $"{options.Method.Method} {options.Address.PathAndQuery} HTTP/1.1\r\n");
        if (!options.Headers.Any(static header => header.Key.Equals("Host", StringComparison.OrdinalIgnoreCase)))
        {
            var host = options.Address.HostNameType == UriHostNameType.IPv6 ? options.Address.Host : options.Address.IdnHost;
            head.Append(CultureInfo.InvariantCulture, $"Host: {host}{(options.Address.IsDefaultPort ? "" : $":{options.Address.Port}")}\r\n");
        }

        foreach (var (name, value) in options.Headers)
        {
            head.Append(CultureInfo.InvariantCulture, $"{name}: {value}\r\n");
        }

        if (options.Body is { } body)
        {
            head.Append(CultureInfo.InvariantCulture, $"Content-Length: {body.Length}\r\n");
        }

        return [.. Encoding.ASCII.GetBytes(head.Append("\r\n").ToString()), .. options.Body.GetValueOrDefault().Span];
    }

    public ReadOnlySpan<byte> Next()
    {
        if (_next == requests.Count)
        {
            _next = 0;
        }

        return requests[_next++];
    }
}
