using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Weir.Jobs.Tests.Http;

/// <summary>What two answers must have in common to be the same for their readers.</summary>
/// <param name="Status">The status.</param>
/// <param name="Headers">All but the date, what caches may do, and where it is.</param>
/// <param name="Body">The bytes; of a problem its members but those that differ from request to request.</param>
internal sealed partial record DirectAnswer(int Status, string Headers, string Body)
{
    // A job's answer has them besides, or they are of the request alone.
    private static readonly string[] Own = ["Date", "Cache-Control", "Content-Location", "Preference-Applied", "Weir-Stream"];

    public static async Task<DirectAnswer> OfAsync(HttpResponseMessage response)
    {
        using (response)
        {
            var bytes = await ReadAsync(response);
            var isProblem = response.Content.Headers.ContentType?.MediaType == "application/problem+json";
            var headers = response.Headers.Concat(response.Content.Headers)
                .Where(header => !Own.Contains(header.Key, StringComparer.OrdinalIgnoreCase) && !(isProblem && header.Key == "Content-Length"))
                .Select(static header => $"{header.Key}: {string.Join(", ", header.Value)}").Order(StringComparer.OrdinalIgnoreCase);
            return new DirectAnswer((int)response.StatusCode, string.Join("\n", headers), isProblem ? Common(bytes) : Encoding.Latin1.GetString(WithoutOwn(response, bytes)));
        }
    }

    // A stream in a format that cannot say that it has failed is cut.
    private static async Task<byte[]> ReadAsync(HttpResponseMessage response)
    {
        var bytes = new MemoryStream();
        try
        {
            await response.Content.CopyToAsync(bytes, TestContext.Current.CancellationToken);
        }
        catch (Exception error) when (error is HttpRequestException or IOException)
        {
            bytes.Write(" and cut"u8);
        }

        return bytes.ToArray();
    }

    // The ids of events have the name of the job's stream, and a problem among them the path and the trace of its request.
    private static byte[] WithoutOwn(HttpResponseMessage response, byte[] bytes) => response.Content.Headers.ContentType?.MediaType == "text/event-stream"
        ? Encoding.Latin1.GetBytes(OwnOfEvents().Replace(Encoding.Latin1.GetString(bytes), "$1"))
        : bytes;

    [GeneratedRegex("with the id of job [0-9a-f-]{36}")]
    private static partial Regex WhereItIsLogged();

    [GeneratedRegex("(id: )[0-9a-f-]{36,}[.]|(\"(?:instance|traceId)\":)\"[^\"]*\"")]
    private static partial Regex OwnOfEvents();

    private static string Common(byte[] problem)
    {
        if (problem.Length == 0)
        {
            // To HEAD.
            return "";
        }

        using var document = JsonDocument.Parse(problem);
        return string.Join("\n", document.RootElement.EnumerateObject().Select(static member => member.Name is "traceId" or "instance" or "report" ? member.Name : $"{member.Name}: {WhereItIsLogged().Replace(member.Value.GetRawText(), "under this traceId")}"));
    }
}
