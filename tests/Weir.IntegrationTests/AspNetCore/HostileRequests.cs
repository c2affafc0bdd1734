using System.Globalization;
using System.Text;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Requests for every kind of operation, changed by chance: the same seed makes the same requests. Not for concurrent use.</summary>
internal sealed class HostileRequests(int seed, bool isolated)
{
    // Path, media type, body. No request takes much time or memory, with any arguments.
    private static readonly (string Target, string? MediaType, string Body)[] Probes =
    [
        ("/Probe/Echo?x=a", null, ""),
        ("/Probe/Echo", "application/x-www-form-urlencoded", "x=%C3%BC+b&y=1"),
        ("/Probe/Add", "application/json", """{"x":1,"y":2}"""),
        ("/Probe/Store?n=5", "application/json", """{"id":7,"lines":[{"a":1},{"a":null}],"text":"\u00fc\ud83d\ude00"}"""),
        ("/Probe/Size", "application/octet-stream", "\0\u0001bytes"),
        ("/Probe/Lane?x=1", null, ""),
        ("/Probe/Nothing", null, ""),
        ("/Probe/Numbers", null, ""),
        ("/Probe/Numbers.ndjson", null, ""),
        ("/Probe/Numbers.sse", null, ""),
        ("/Probe/Blocking.json", null, ""),
        ("/Probe/Sum", "application/x-ndjson", "1\n2\n\n3"),
        ("/Probe/Sum", "application/json", "[1, 2,3]"),
        ("/Probe/Double.ndjson", "application/x-ndjson", "1\n2\n"),
    ];

    private static readonly (string Target, string? MediaType, string Body)[] Generated =
    [
        ("/ComplianceInline/Add?a=1&b=2", null, ""),
        ("/ComplianceInline/Reverse?prefix=a", "application/octet-stream", "bytes"),
        ("/CompliancePumped/Echo", "application/json", """{"text":"\"quoted\""}"""),
        ("/ComplianceInline/Nothing", null, ""),
        ("/IsolatedRequests/Sum", "application/x-ndjson", "1\n2\n3"),
        ("/IsolatedRequests/Double.sse", "application/json", "[1,2]"),
        ("/IsolatedBlockingRequests/Sum", "application/json", "[1,2]"),
        ("/LaneRequests/Join?separator=-", "application/x-ndjson", "\"a\"\nnull\n"),
    ];

    private static readonly string[] Verbs = ["GET", "POST", "POST", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"];
    private static readonly string[] Extensions = [".json", ".ndjson", ".sse", ".txt", ".bin", ".xml", ".", "/", "/..", "%2e", "%00", "//"];

    private static readonly string[] Pieces =
    [
        "", "0", "-1", "1e400", "2147483648", "99999999999999999999", "null", "true", "NaN", "%", "%zz", "%00", "%C3", "%ED%A0%80", "%F0%9F%98%80", "&", "=", "x=1&", "\"", "\\", "\\ud800", "{", "}", "[", "]", ",", ":",
        "\n", "\r\n", "\0", "\uFEFF", "ü", "\ud83d\ude00", "[[[[[[[[[[[[", "{\"x\":", "{\"a\":" + "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ];

    private static readonly string[] Headers =
    [
        "Accept: */*", "Accept: text/html", "Accept: application/json;q=0", "Accept: ,;q=,/*;q=2,\"", "Accept: text/event-stream", "Accept: application/x-ndjson; weir=1", "Accept:", "Weir-Deadline-Ms: -1", "Weir-Deadline-Ms: 0",
        "Weir-Deadline-Ms: 5", "Weir-Deadline-Ms: 99999999999", "Last-Event-ID: $end", "Last-Event-ID: 3", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: ", "Origin: null", "Origin: http://x", "Origin: http://[::1", "Origin: \u00fc", "Content-Encoding: gzip",
        "Expect: 100-continue", "Range: bytes=0-1", "If-None-Match: *", "Cookie: a=b; c", "X-HTTP-Method-Override: DELETE", "traceparent: 00-junk", "Connection: keep-alive, x", "Upgrade: websocket", "TE: trailers",
    ];

    private static readonly string[] MediaTypes =
    [
        "application/json", "application/json; charset=utf-16", "application/x-www-form-urlencoded", "application/x-ndjson", "text/plain", "multipart/form-data; boundary=x", ";", "a/b;c=\"", "",
    ];

    private readonly RequestMutator _mutator = new(seed);

    /// <summary>A request with correct framing and any content.</summary>
    internal (string Verb, byte[] Bytes) Next()
    {
        var (target, mediaType, text) = _mutator.Pick(isolated ? Generated : Probes);
        var body = Encoding.UTF8.GetBytes(text);
        var verb = _mutator.Random.Next(4) > 0 ? "POST" : _mutator.Pick(Verbs);
        if (_mutator.Random.Next(3) == 0)
        {
            target = MutateTarget(target);
        }

        if (_mutator.Random.Next(2) == 0)
        {
            body = MutateBody(body);
        }

        var head = new StringBuilder().Append(CultureInfo.InvariantCulture, $"{verb} {target} HTTP/1.1\r\nHost: x\r\n");
        for (var count = _mutator.Random.Next(3); count > 0; count--)
        {
            head.Append(_mutator.Pick(Headers)).Append("\r\n");
        }

        if ((mediaType ?? (_mutator.Random.Next(8) == 0 ? "" : null)) is { } declared)
        {
            head.Append("Content-Type: ").Append(_mutator.Random.Next(5) == 0 ? _mutator.Pick(MediaTypes) : declared).Append("\r\n");
        }

        return (verb, _mutator.Frame(head, body));
    }

    /// <summary>Bytes that may not be a valid request any more: some were changed, left out, doubled or cut off.</summary>
    internal byte[] NextBroken() => _mutator.Break(Next().Bytes);

    private string MutateTarget(string target)
    {
        var query = target.IndexOf('?', StringComparison.Ordinal);
        if (query < 0 || _mutator.Random.Next(4) == 0)
        {
            return (query < 0 ? target : target[..query]) + (_mutator.Random.Next(2) == 0 ? _mutator.Pick(Extensions) : "?x=" + Escaped(_mutator.Pick(Pieces)));
        }

        var at = _mutator.Random.Next(query + 1, target.Length + 1);
        return target[..at] + Escaped(_mutator.Pick(Pieces)) + target[(_mutator.Random.Next(2) == 0 ? at : target.Length)..];
    }

    // What no target may hold costs the connection; that is what the broken requests are for.
    private static string Escaped(string piece) => string.Concat(piece.Select(static c => c is > ' ' and < '\u007f' ? c.ToString() : Uri.EscapeDataString(char.IsSurrogate(c) ? "?" : c.ToString())));

    private byte[] MutateBody(byte[] body)
    {
        var bytes = body.ToList();
        for (var count = _mutator.Random.Next(1, 4); count > 0; count--)
        {
            var at = _mutator.Random.Next(bytes.Count + 1);
            switch (_mutator.Random.Next(4))
            {
                case 0 when at < bytes.Count:
                    bytes[at] = (byte)_mutator.Random.Next(256);
                    break;
                case 1 when at < bytes.Count:
                    bytes.RemoveRange(at, _mutator.Random.Next(1, bytes.Count - at + 1));
                    break;
                case 2:
                    bytes.InsertRange(at, bytes.ToArray());
                    break;
                default:
                    bytes.InsertRange(at, Encoding.UTF8.GetBytes(_mutator.Pick(Pieces)));
                    break;
            }
        }

        return [.. bytes];
    }
}
