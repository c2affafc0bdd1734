using Microsoft.AspNetCore.Http;

namespace Weir.LightNode.Tests.Contracts;

/// <summary>Results of every kind.</summary>
[Get]
public abstract class FormatOperations
{
    public string Text() => "テキスト";

    public int Number() => 42;

    public Person Person() => new(7, "名前");

    public byte[] Bytes() => [0, 1, 255];

    public string? Null() => null;

    public void Nothing()
    {
    }

    public async IAsyncEnumerable<int> Stream()
    {
        await Task.Yield();
        yield return 1;
        yield return 2;
    }
}

[Service]
public sealed class FormatterCheck : FormatOperations
{
    /// <summary>In place of LightNode's formatter for HTML: the response as the framework writes it. It exists in the host only.</summary>
    public IResult Html() => Results.Content("<p>html</p>", "text/html; charset=utf-8");
}

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedFormatterCheck : FormatOperations;
