using System.Text.Json;

namespace Weir.LightNode.Tests.Hosting;

/// <summary>A response, read to its end.</summary>
internal sealed class Answer
{
    private readonly HttpResponseMessage _response;

    private Answer(HttpResponseMessage response, byte[] body) => (_response, Bytes) = (response, body);

    internal int Status => (int)_response.StatusCode;

    /// <summary>As it was sent; <c>null</c> where there is none.</summary>
    internal string? ContentType => _response.Content.Headers.ContentType?.ToString();

    internal long? ContentLength => _response.Content.Headers.ContentLength;

    internal byte[] Bytes { get; }

    internal string Body => System.Text.Encoding.UTF8.GetString(Bytes);

    /// <summary>The verbs of <c>Allow</c>.</summary>
    internal string Allow => string.Join(", ", _response.Content.Headers.Allow);

    internal static async Task<Answer> ReadAsync(HttpResponseMessage response) =>
        new(response, await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken));

    /// <summary>A header, its values joined; <c>null</c> where there is none.</summary>
    internal string? Header(string name) =>
        _response.Headers.TryGetValues(name, out var values) || _response.Content.Headers.TryGetValues(name, out values) ? string.Join(", ", values) : null;

    /// <summary>The answer as a problem, which has the same form in every case.</summary>
    internal JsonElement Problem(int status, string code)
    {
        Assert.Equal((status, "application/problem+json"), (Status, ContentType));
        using var document = JsonDocument.Parse(Bytes);
        var problem = document.RootElement.Clone();
        Assert.Equal((status, code, $"urn:weir:problem:{code}"), (problem.GetProperty("status").GetInt32(), Text(problem, "code"), Text(problem, "type")));
        Assert.All(["title", "detail", "instance", "traceId"], name => Assert.NotEmpty(Text(problem, name)));
        return problem;
    }

    /// <summary>The binding errors of a 400, sorted: name, source, reason.</summary>
    internal string BindingErrors()
    {
        var errors = Problem(400, WeirCodes.BadArguments).GetProperty("bindingErrors").EnumerateArray()
            .Select(static error => $"{Text(error, "name")} {Text(error, "source")} {Text(error, "reason")}");
        return string.Join(", ", errors.Order(StringComparer.Ordinal));
    }

    private static string Text(JsonElement element, string member) => element.GetProperty(member).GetString()!;
}
