using System.Text;

namespace Weir.Lab.Load;

/// <summary>Prepared requests, taken in turn: one for constant arguments, many for varying ones.</summary>
internal sealed class RequestSet(IReadOnlyList<byte[]> requests)
{
    private int _next;

    public int Count => requests.Count;

    public static RequestSet Get(params IEnumerable<string> paths) => new([.. paths.Select(GetBytes)]);

    /// <summary>A GET over HTTP/1.1 as the lab sends it.</summary>
    public static byte[] GetBytes(string path) => Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");

    public ReadOnlySpan<byte> Next()
    {
        if (_next == requests.Count)
            _next = 0;
        return requests[_next++];
    }
}
