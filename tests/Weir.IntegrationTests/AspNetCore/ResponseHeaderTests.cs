using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Headers that an operation sets and no response can have: a problem with a body, whatever sent them.</summary>
public sealed class ResponseHeaderTests
{
    private static readonly (string Name, string Value)[] Invalid =
    [
        ("X-A", "caf\u00e9"), ("X-A", "\u20ac"), ("X-A", "a\nb"), ("X-A", "a\r\nX-B: c"), ("X-A", "a\0b"), ("X A", "a"), ("", "a"), ("X-\u00e4", "a"), ("X-A:", "a"), ("Content-Length", "1"),
        ("Location", "/caf\u00e9"), ("Content-Type", "text/\u00e4"), ("Vary", "\u00e4"), ("Cache-Control", "a\nb"),
    ];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static MatrixTheoryData<string, int, bool> Headers => new(["Result", "Nothing", "Stream", "Chosen", "ChosenText"], [.. Enumerable.Range(0, Invalid.Length)], [false, true]);

    [Theory]
    [MemberData(nameof(Headers))]
    public async Task A_header_that_no_response_can_have_is_a_problem_with_a_body(string operation, int index, bool isHttp2)
    {
        var (name, value) = Invalid[index];
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Result", ResultKind.Text, (_, context) => Set(context, name, value)),
            Probe.Result("Nothing", ResultKind.None, (_, context) => Set(context, name, value)),
            Probe.Stream("Stream", (_, context) => StreamAsync(context, name, value)),
            Probe.Result("Chosen", ResultKind.Text, (_, _) => throw new OperationStatusException(409, null, new Dictionary<string, string> { [name] = value })),
            Probe.Result("ChosenText", ResultKind.Text, (_, _) => throw new OperationStatusException(409, "text", new Dictionary<string, string> { [name] = value })));
        using var response = await (isHttp2 ? host.Client2 : host.Client).GetAsync($"/Probe/{operation}", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.Contains(host.Log.Lines, line => line is { Event: 4201, Error: not null } && line.Error.Message.Contains(name, StringComparison.Ordinal));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Category.Contains("Kestrel", StringComparison.Ordinal) && line.Level >= LogLevel.Error);
    }

    private static string Set(OperationContext context, string name, string value)
    {
        context.Headers[name] = value;
        return "text";
    }

    private static async IAsyncEnumerable<int> StreamAsync(OperationContext context, string name, string value)
    {
        await Task.Yield();
        context.Headers[name] = value;
        yield return 1;
    }
}
