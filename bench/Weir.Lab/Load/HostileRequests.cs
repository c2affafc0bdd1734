using System.Globalization;
using System.Text;

namespace Weir.Lab.Load;

/// <summary>
/// Requests that no well-meaning client sends, by kind, for operations that every web contender has. The same seed makes the same
/// requests. Not for concurrent use.
/// </summary>
internal sealed class HostileRequests(int seed)
{
    private const string Upload = "/uploads/size";
    private const string Order = "/uploads/order";
    private const string Valid = """{"customer":"M\u00fcller","number":7,"lines":[{"article":"nail","pieces":3},{"article":"hammer","pieces":1}]}""";

    private static readonly (string Name, Func<HostileRequests, HostileRequest> Make)[] Ways =
    [
        ("chunk size that overflows", static requests => requests.OverflowingChunk()),
        ("chunk that ends wrongly", static requests => requests.BadChunkEnd()),
        ("negative length", static requests => requests.NegativeLength()),
        ("two lengths", static requests => requests.TwoLengths()),
        ("length and chunks", static requests => requests.LengthAndChunks()),
        ("huge header", static requests => requests.HugeHeader()),
        ("many headers", static requests => requests.ManyHeaders()),
        ("bad target", static requests => requests.BadTarget()),
        ("truncated head", static requests => requests.TruncatedHead()),
        ("truncated body", static requests => requests.TruncatedBody()),
        ("bad UTF-8", static requests => requests.BadUtf8()),
        ("deep JSON", static requests => requests.DeepJson()),
        ("broken JSON", static requests => requests.BrokenJson()),
        (Dripped, static requests => new HostileRequest(Post(Order, Valid), SenderEnding.Waits, IsDripped: true)),
        ("half-closed sender", static _ => new HostileRequest(Post(Order, Valid), SenderEnding.HalfCloses)),
        ("reset", static requests => requests.Reset()),
        ("garbage behind a request", static requests => requests.PipelinedGarbage()),
        ("changed bytes", static requests => requests.Changed()),
    ];

    private readonly Random _random = new(seed);

    /// <summary>The kind whose requests take long to send.</summary>
    internal const string Dripped = "dripped bytes";

    /// <summary>The names of all kinds.</summary>
    internal static IReadOnlyList<string> Kinds { get; } = [.. Ways.Select(static way => way.Name)];

    /// <summary>The next request of a kind.</summary>
    internal HostileRequest Next(string kind) => Ways.First(way => way.Name == kind).Make(this);

    // Of 64 bits, or of more than any number has.
    private HostileRequest OverflowingChunk()
    {
        var size = string.Concat(Enumerable.Range(0, _random.Next(8, 24)).Select(_ => "89abcdef"[_random.Next(8)]));
        return new HostileRequest([.. Head(Upload, "Transfer-Encoding: chunked"), .. Text($"{size}\r\nabc\r\n0\r\n\r\n")], SenderEnding.GivesUp);
    }

    private HostileRequest BadChunkEnd() => new(
        [.. Head(Upload, "Transfer-Encoding: chunked"), .. Text($"3\r\nabc{Pick(["", "\r", "\n\n", "x\r\n", "\0\0"])}{Pick(["0\r\n\r\n", "g\r\n", "-1\r\n", "0x3\r\nabc\r\n"])}")],
        SenderEnding.GivesUp);

    private HostileRequest NegativeLength() => new(
        [.. Head(Upload, $"Content-Length: {Pick(["-", "- ", "+", "0x", "1e", "99999999999999999999"])}{_random.Next(1, 1000)}"), .. Text("abc")],
        SenderEnding.GivesUp);

    private HostileRequest TwoLengths() => new(
        [.. Head(Upload, $"Content-Length: {_random.Next(4)}\r\nContent-Length: {_random.Next(4, 9)}"), .. Text("abcdefgh")], SenderEnding.GivesUp);

    // What a proxy and a server may take for two different bodies.
    private HostileRequest LengthAndChunks() => new(
        [.. Head(Upload, $"Content-Length: {_random.Next(30)}\r\nTransfer-Encoding: {Pick(["chunked", "gzip, chunked", "chunked, gzip", "identity", "Chunked"])}"), .. Text("5\r\nhello\r\n0\r\n\r\n")],
        SenderEnding.GivesUp);

    private HostileRequest HugeHeader() => new(Head(Upload, $"X-Huge: {new string('a', _random.Next(33_000, 100_000))}"), SenderEnding.GivesUp);

    private HostileRequest ManyHeaders() => new(
        Head(Upload, string.Join("\r\n", Enumerable.Range(0, _random.Next(101, 1_000)).Select(static i => $"X-{i}: {i}"))), SenderEnding.GivesUp);

    private HostileRequest BadTarget() => new(
        Text($"GET /perf/echo{Pick(["?name=%", "?name=%zz", "?name=%C3%28", "?x=99999999999", "?e=%00", "%00", "/..%2f..", "%2e%2e/", "//", "?&&=&=x"])}{Pick(["", "&x=1&x=2", "&y=NaN"])} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        SenderEnding.Waits);

    private HostileRequest TruncatedHead()
    {
        var whole = Post(Order, Valid);
        return new HostileRequest(whole[.._random.Next(1, whole.AsSpan().IndexOf("\r\n\r\n"u8) + 3)], SenderEnding.GivesUp);
    }

    private HostileRequest TruncatedBody()
    {
        var whole = Post(Order, Valid);
        return new HostileRequest(whole[.._random.Next(whole.AsSpan().IndexOf("\r\n\r\n"u8) + 4, whole.Length)], SenderEnding.GivesUp);
    }

    // The framing is right: an answer comes, and the connection can still be used.
    private HostileRequest BadUtf8()
    {
        byte[][] wrong = [[0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80], [0xFF], [0xC0, 0xAF], [0x80]];
        byte[] body = [.. Text("{\"customer\":\""), .. Pick(wrong), .. Text("\",\"number\":7,\"lines\":[]}")];
        return new HostileRequest(Post(Order, body), SenderEnding.Waits);
    }

    private HostileRequest DeepJson()
    {
        var depth = _random.Next(65, 20_000);
        var (open, close) = _random.Next(2) == 0 ? ("[", "]") : ("{\"a\":", "}");
        return new HostileRequest(
            Post(Order, $"{{\"customer\":{Repeat(open, depth)}1{Repeat(close, _random.Next(2) * depth)},\"number\":7,\"lines\":[]}}"), SenderEnding.Waits);
    }

    private HostileRequest BrokenJson()
    {
        var at = _random.Next(Valid.Length);
        return new HostileRequest(
            Post(Order, Valid[..at] + Pick(["", "\0", "null", "1e999", "\"", "\\ud800", "}", ",", "/*"]) + (_random.Next(2) == 0 ? "" : Valid[at..])), SenderEnding.Waits);
    }

    private HostileRequest Reset()
    {
        var whole = Post(Order, Valid);
        return new HostileRequest(whole[.._random.Next(1, whole.Length + 1)], SenderEnding.Resets);
    }

    private HostileRequest PipelinedGarbage()
    {
        var garbage = new byte[_random.Next(1, 400)];
        _random.NextBytes(garbage);
        return new HostileRequest([.. Post(Order, Valid), .. garbage], SenderEnding.GivesUp);
    }

    // Anything may come of it, except a request that takes long.
    private HostileRequest Changed()
    {
        var bytes = Post(Order, Valid).ToList();
        for (var count = _random.Next(1, 6); count > 0; count--)
        {
            var at = _random.Next(bytes.Count);
            switch (_random.Next(3))
            {
                case 0:
                    bytes[at] = (byte)_random.Next(256);
                    break;
                case 1:
                    bytes.RemoveAt(at);
                    break;
                default:
                    bytes.InsertRange(at, bytes.Skip(at).Take(_random.Next(40)).ToArray());
                    break;
            }
        }

        return new HostileRequest([.. bytes], SenderEnding.GivesUp);
    }

    private static byte[] Post(string target, string body) => Post(target, Text(body));

    private static byte[] Post(string target, byte[] body) => [.. Head(target, $"Content-Type: application/json\r\nContent-Length: {body.Length}"), .. body];

    private static byte[] Head(string target, string headers) =>
        Text(string.Create(CultureInfo.InvariantCulture, $"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n\r\n"));

    private static byte[] Text(string text) => Encoding.UTF8.GetBytes(text);

    private static string Repeat(string text, int count) => new StringBuilder().Insert(0, text, count).ToString();

    private T Pick<T>(T[] values) => values[_random.Next(values.Length)];
}
