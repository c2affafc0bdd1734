using System.Buffers.Text;
using Microsoft.AspNetCore.Http.Features;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>Document 004's operation with the parsing, decoding, escaping and writing that every framework must do, and nothing else.</summary>
internal static class RawEcho
{
    private const int Around = 32;
    private const int Short = 256;

    public static Task AnswerAsync(string query, IHttpResponseFeature head, IHttpResponseBodyFeature response)
    {
        var name = RawQuery.Text(query, "name");
        var sum = RawQuery.Int(query, "x") + RawQuery.Int(query, "y");
        _ = Enum.TryParse<Fruit>(RawQuery.Value(query, "e"), ignoreCase: true, out _);

        var most = RawJson.LengthOf(name) + Around;
        Span<byte> body = most <= Short ? stackalloc byte[Short] : new byte[most];
        var at = RawJson.Append(body, 0, "{\"name\":"u8);
        at += RawJson.String(body[at..], name);
        at = RawJson.Append(body, at, ",\"sum\":"u8);
        Utf8Formatter.TryFormat(sum, body[at..], out var digits);
        return RawReply.Send(head, response, "application/json; charset=utf-8", body[..RawJson.Append(body, at + digits, "}"u8)]);
    }
}
