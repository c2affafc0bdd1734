using System.Globalization;
using System.Text;
using Weir.IntegrationTests.AspNetCore;

namespace Weir.IntegrationTests.Showcase;

/// <summary>Requests made from valid ones by chance: the same seed makes the same requests. Not for concurrent use.</summary>
internal sealed class MutatedRequests(int seed)
{
    private static readonly string[] Verbs = ["GET", "GET", "GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"];

    // No request takes much time or memory, with any arguments.
    private static readonly string[] Targets =
    [
        "/Perf/Echo?name=a&x=1&y=2&e=Apple", "/Perf/Echo?name=%C3%BC+b&x=-5&y=2147483647&e=4", "/Weather/Today?city=Taipei", "/Hello/World",
        "/Hasher/Hash", "/Perf/Nothing?x=1", "/Neighbour/SetStatic?value=7",
    ];

    // Their arguments stay: a count may not become a large one.
    private static readonly string[] Streams = ["/Weather/Next{0}?days=3&delay=0", "/Weather/NextBlocking{0}?days=2&delay=0", "/Guids/Stream{0}?count=5", "/Weather/Fail{0}?after=0"];

    private static readonly string[] Extensions = ["", "", ".json", ".ndjson", ".sse", ".txt", ".xml", ".", "/", ".json/", "/..", "%2e", "%00", ".%6Eson", "//"];

    private static readonly string[] Values =
    [
        "", "0", "-0", "-1", "+1", "1e400", "1E5", "NaN", "2147483648", "99999999999999999999", "0x10", "1.0", "true", "null", "Apple", "apple,Orange", "3", "%00", "5%00", "%", "%4", "%zz",
        "%C3", "%C3%28", "%ED%A0%80", "%F0%9F%98%80", "%FF%FE", "a=b=c", "&&", "&x=1", "&X=2&x=3", "%26x%3D1", ";x=1", "'\"<script>", "%0d%0aX-Injected:%201", "[]", "{}",
    ];

    private static readonly string[] Bodies =
    [
        "{}", "[]", "null", "1", "\"\"", "", " ", "{", "{\"x\":", "{\"x\":1}", "{\"x\":1,\"X\":2}", "{\"x\":1e400}", "{\"x\":\"1\"}", "{\"x\":null}", "{\"name\":\"\\ud800\"}", "{\"\\ud800\":1}", "{\"x\":1}{}",
        "{\"name\":\"a\",\"x\":1,\"y\":2,\"e\":\"Apple\"}", "{\"name\":\"a\",\"x\":1,\"y\":2,\"e\":3}", "{\"name\":{\"a\":[1,{\"b\":2}]},\"x\":[1]}", "name=a&x=1&y=2&e=Apple", "x=1&x=2", "%=%&=&&", "value=1", "{\"value\":1}", "\uFEFF{\"value\":2}",
        new string('[', 300), "{\"a\":" + new string('[', 70) + new string(']', 70) + "}",
    ];

    private static readonly string[] Headers =
    [
        "Accept: */*", "Accept: text/html", "Accept: application/json;q=0", "Accept: ,;q=,/*;q=2,\"", "Accept: text/event-stream, application/json;q=0.5", "Accept: application/x-ndjson; weir=1", "Accept:",
        "Weir-Deadline-Ms: -1", "Weir-Deadline-Ms: 99999999999", "Weir-Deadline-Ms: 1000", "Weir-Deadline-Ms: ", "Last-Event-ID: $end", "Last-Event-ID: 3", "Sec-Fetch-Site: cross-site", "Origin: null",
        "Content-Encoding: gzip", "Range: bytes=0-1", "If-None-Match: *", "Accept-Encoding: gzip, br", "Cookie: a=b; c", "X-Forwarded-Prefix: /x", "X-HTTP-Method-Override: DELETE", "traceparent: 00-junk",
    ];

    private static readonly string[] MediaTypes =
    [
        "application/json", "application/json; charset=utf-8", "application/json; charset=utf-16", "application/x-www-form-urlencoded", "text/plain", "application/problem+json", "multipart/form-data; boundary=x", ";", "a/b;c=\"", "",
    ];

    private readonly RequestMutator _mutator = new(seed);

    /// <summary>A request with correct framing and any content, and whether it asks for the headers only (HEAD).</summary>
    public (string Verb, byte[] Bytes) Next()
    {
        var verb = _mutator.Pick(Verbs);
        var head = new StringBuilder().Append(CultureInfo.InvariantCulture, $"{verb} {Target()} HTTP/1.1\r\nHost: x\r\n");
        for (var count = _mutator.Random.Next(3); count > 0; count--)
        {
            head.Append(_mutator.Pick(Headers)).Append("\r\n");
        }

        var body = verb is "GET" or "HEAD" && _mutator.Random.Next(4) > 0 ? null : Encoding.UTF8.GetBytes(_mutator.Pick(Bodies));
        if (body is null)
        {
            return (verb, Encoding.UTF8.GetBytes(head.Append("\r\n").ToString()));
        }

        if (_mutator.Random.Next(5) > 0)
        {
            head.Append("Content-Type: ").Append(_mutator.Pick(MediaTypes)).Append("\r\n");
        }

        return (verb, _mutator.Frame(head, body));
    }

    /// <summary>Bytes that may not be a valid request any more: some were changed, left out, doubled or cut off.</summary>
    public byte[] NextBroken() => _mutator.Break(Next().Bytes);

    private string Target()
    {
        if (_mutator.Random.Next(3) == 0)
        {
            return string.Format(CultureInfo.InvariantCulture, _mutator.Pick(Streams), _mutator.Pick(Extensions));
        }

        var parts = _mutator.Pick(Targets).Split('?');
        var query = parts.Length == 1 ? [] : parts[1].Split('&').ToList();
        for (var count = _mutator.Random.Next(3); count > 0; count--)
        {
            var at = _mutator.Random.Next(query.Count + 1);
            if (at == query.Count)
            {
                query.Add(_mutator.Pick(["x", "X", "name", "e", "city", "value", "data", "", "%"]) + "=" + _mutator.Pick(Values));
            }
            else
            {
                query[at] = query[at].Split('=')[0] + "=" + _mutator.Pick(Values);
            }
        }

        return parts[0] + _mutator.Pick(Extensions) + (query.Count == 0 ? "" : "?" + string.Join('&', query).Replace(' ', '+'));
    }
}
