using System.Buffers.Text;
using Microsoft.AspNetCore.Http.Features;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>Document 004's operation with the parsing and the writing that every framework must do, and nothing else.</summary>
internal static class RawEcho
{
    public static Task AnswerAsync(string query, IHttpResponseFeature head, IHttpResponseBodyFeature response)
    {
        var name = RawQuery.Value(query, "name");
        var sum = RawQuery.Int(query, "x") + RawQuery.Int(query, "y");
        _ = Enum.TryParse<Fruit>(RawQuery.Value(query, "e"), ignoreCase: true, out _);

        Span<byte> body = stackalloc byte[256];
        var length = Write(body, name, sum);
        return RawReply.Send(head, response, "application/json; charset=utf-8", body[..length]);
    }

    private static int Write(Span<byte> body, ReadOnlySpan<char> name, int sum)
    {
        var at = Append(body, 0, "{\"name\":\""u8);
        at += System.Text.Encoding.UTF8.GetBytes(name, body[at..]);
        at = Append(body, at, "\",\"sum\":"u8);
        Utf8Formatter.TryFormat(sum, body[at..], out var digits);
        return Append(body, at + digits, "}"u8);
    }

    private static int Append(Span<byte> body, int at, ReadOnlySpan<byte> part)
    {
        part.CopyTo(body[at..]);
        return at + part.Length;
    }
}
