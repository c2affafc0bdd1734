using System.Text.Json;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Reads problems, and holds every one of them to the shape that the documentation promises.</summary>
internal static class ProblemJson
{
    internal static async Task<JsonElement> ReadProblemAsync(this HttpResponseMessage response, int status, string code)
    {
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.ToString());
        using var document = JsonDocument.Parse(await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
        var problem = document.RootElement.Clone();
        Assert.Equal($"urn:weir:problem:{code}", problem.GetProperty("type").GetString());
        Assert.Equal(code, problem.GetProperty("code").GetString());
        Assert.Equal(status, problem.GetProperty("status").GetInt32());
        Assert.NotEmpty(problem.GetProperty("title").GetString()!);
        Assert.NotEmpty(problem.GetProperty("detail").GetString()!);
        Assert.Equal(response.RequestMessage!.RequestUri!.AbsolutePath, problem.GetProperty("instance").GetString());
        Assert.NotEmpty(problem.GetProperty("traceId").GetString()!);
        return problem;
    }

    internal static string[] Errors(this JsonElement problem) =>
    [
        .. problem.GetProperty("bindingErrors").EnumerateArray().Select(static error =>
            $"{error.GetProperty("name")} {error.GetProperty("source")} {error.GetProperty("reason")}"),
    ];
}
