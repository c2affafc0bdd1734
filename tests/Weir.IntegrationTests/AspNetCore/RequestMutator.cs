using System.Globalization;
using System.Text;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Frames requests and breaks them by chance: the same seed does the same. Not for concurrent use.</summary>
internal sealed class RequestMutator(int seed)
{
    private static readonly string[] Framing =
    [
        "\r\n", "\0", "\r\n\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "Content-Length: 1\r\n", "Content-Length: -1\r\n", "Content-Length: 99999999999999999999\r\n", "FFFFFFFF\r\n", "7FFFFFFF\r\n", "80000000;a=b\r\n", "0\r\n\r\n", " ", ":", "%00",
        "Host: y\r\n", "HTTP/1.0", "HTTP/2.0", "Connection: close\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
    ];

    internal Random Random { get; } = new(seed);

    internal T Pick<T>(T[] values) => values[Random.Next(values.Length)];

    /// <summary>A request whose framing is right: with a length, or in chunks.</summary>
    /// <param name="head">Its lines, each with its end.</param>
    /// <param name="body">Its body.</param>
    internal byte[] Frame(StringBuilder head, byte[] body) => Random.Next(3) == 0
        ? Chunked(head, body)
        : [.. Encoding.UTF8.GetBytes(head.Append(CultureInfo.InvariantCulture, $"Content-Length: {body.Length}\r\n\r\n").ToString()), .. body];

    /// <summary>Bytes that may not be a valid request any more: some were changed, left out, doubled, inserted or cut off.</summary>
    internal byte[] Break(byte[] request)
    {
        var bytes = request.ToList();
        for (var count = Random.Next(1, 6); count > 0 && bytes.Count > 1; count--)
        {
            var at = Random.Next(bytes.Count);
            switch (Random.Next(6))
            {
                case 0:
                    bytes[at] = (byte)Random.Next(256);
                    break;
                case 1:
                    bytes.RemoveAt(at);
                    break;
                case 2:
                    bytes.InsertRange(at, bytes.Skip(at).Take(Random.Next(40)).ToArray());
                    break;
                case 3:
                    bytes.InsertRange(at, Encoding.ASCII.GetBytes(Pick(Framing)));
                    break;
                case 4:
                    // Where a header, or the size of a chunk, may stand.
                    bytes.InsertRange(bytes.IndexOf((byte)'\n', at) + 1, Encoding.ASCII.GetBytes(Pick(Framing)));
                    break;
                default:
                    bytes.RemoveRange(at, bytes.Count - at);
                    break;
            }
        }

        return [.. bytes];
    }

    private byte[] Chunked(StringBuilder head, byte[] body)
    {
        var bytes = new List<byte>(Encoding.UTF8.GetBytes(head.Append("Transfer-Encoding: chunked\r\n\r\n").ToString()));
        for (var start = 0; start < body.Length;)
        {
            var length = Math.Min(Random.Next(1, 12), body.Length - start);
            bytes.AddRange(Encoding.ASCII.GetBytes($"{length:x}{Pick(["", ";a=b"])}\r\n"));
            bytes.AddRange(body.AsSpan(start, length));
            bytes.AddRange("\r\n"u8);
            start += length;
        }

        bytes.AddRange(Encoding.ASCII.GetBytes(Pick(["0\r\n\r\n", "0\r\nX-Trailer: 1\r\n\r\n"])));
        return [.. bytes];
    }
}
