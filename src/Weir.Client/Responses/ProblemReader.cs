using System.Text;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Client.Responses;

/// <summary>Reads problems (RFC 9457), of a response and of the last line of a stream.</summary>
internal static class ProblemReader
{
    /// <summary>The largest body that is read as a problem, in bytes.</summary>
    internal const int LargestBody = 1024 * 1024;

    private const int LongestText = 1000;

    /// <summary>The problem of a response; where its body is none, the beginning of its text takes the place of the detail.</summary>
    internal static RemoteProblem Read(HttpResponseMessage response, ReadOnlySpan<byte> body)
    {
        var problem = TryRead(body, (int)response.StatusCode) ?? new RemoteProblem((int)response.StatusCode, "", response.ReasonPhrase ?? "", Beginning(body));
        problem.RetryAfter = response.Headers.RetryAfter?.Delta;
        return problem;
    }

    /// <summary>Returns if the server refused a call because its contract differs, and the difference does not matter.</summary>
    /// <exception cref="ContractChangedException">It matters.</exception>
    /// <exception cref="WeirException">The server refused the call for another reason.</exception>
    internal static void RefuseChange(ClientOperation operation, HttpResponseMessage response, ReadOnlySpan<byte> body)
    {
        var problem = Read(response, body);
        if (problem.Code != WeirCodes.ContractChanged)
        {
            throw operation.ToException(problem);
        }

        using var document = JsonDocument.Parse(body.ToArray());
        var changes = document.RootElement.TryGetProperty("contract", out var contract)
            ? operation.ChangesIn(contract.GetRawText())
            : ["the server has another contract of it, and does not say which"];
        if (changes.Count > 0)
        {
            throw new ContractChangedException(operation.Name, changes);
        }
    }

    /// <summary>The problem that JSON describes; <c>null</c> where it is none.</summary>
    internal static RemoteProblem? TryRead(ReadOnlySpan<byte> json, int? status = null)
    {
        try
        {
            using var document = JsonDocument.Parse(json.ToArray());
            return document.RootElement.ValueKind == JsonValueKind.Object ? Read(document.RootElement, status) : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static RemoteProblem Read(JsonElement problem, int? status) => new(
        status ?? (problem.TryGetProperty("status", out var given) && given.ValueKind == JsonValueKind.Number && given.TryGetInt32(out var number) ? number : 0),
        Text(problem, "code") ?? "",
        Text(problem, "title") ?? "",
        Text(problem, "detail") ?? "",
        Errors(problem))
    {
        TraceId = Text(problem, "traceId"),
        Report = Text(problem, "report"),
        Thrown = Text(problem, "thrown"),
    };

    private static List<BindingError>? Errors(JsonElement problem)
    {
        if (!problem.TryGetProperty("bindingErrors", out var list) || list.ValueKind != JsonValueKind.Array)
        {
            return null;
        }

        var errors = new List<BindingError>();
        foreach (var one in list.EnumerateArray())
        {
            if (one.ValueKind == JsonValueKind.Object)
            {
                errors.Add(new BindingError(Text(one, "name") ?? "", Text(one, "source") ?? "", Text(one, "reason") ?? "", Text(one, "expected") ?? Text(one, "message") ?? ""));
            }
        }

        return errors;
    }

    private static string? Text(JsonElement of, string name) => of.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static string Beginning(ReadOnlySpan<byte> body) => Encoding.UTF8.GetString(body.Slice(0, Math.Min(body.Length, LongestText)).ToArray());
}
