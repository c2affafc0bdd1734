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
        problem.RetryAfter = RetryAfter(response);
        return problem;
    }

    // RFC 9110, 10.2.3: seconds, or a date, which counts by the clock of the server.
    private static TimeSpan? RetryAfter(HttpResponseMessage response)
    {
        if (response.Headers.RetryAfter is { } header)
        {
            var wait = header.Delta ?? header.Date - response.Headers.Date;
            return wait < TimeSpan.Zero ? TimeSpan.Zero : wait;
        }

        // The framework reads no number beyond 2^31; RFC 9111, 1.2.2 says that such a number is 2^31.
        return response.Headers.TryGetValues("Retry-After", out var values) && values.First().Trim() is { Length: > 0 } text && text.All(static c => c is >= '0' and <= '9')
            ? TimeSpan.FromSeconds(int.MaxValue)
            : null;
    }

    /// <summary>The hash of the contract in a problem that says what an operation has become; empty where it does not say.</summary>
    internal static string SignatureIn(ClientOperation operation, ReadOnlySpan<byte> body)
    {
        using var document = JsonDocument.Parse(body.ToArray());
        return document.RootElement.TryGetProperty("contract", out var contract) ? Signature(operation, contract) : "";
    }

    /// <summary>Compares the contract in such a problem with the client's, and returns its hash.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="body">The problem.</param>
    /// <param name="hasRun">Whether the server may have run the operation, for the exception.</param>
    /// <exception cref="ContractChangedException">The difference matters.</exception>
    internal static string Judge(ClientOperation operation, ReadOnlySpan<byte> body, bool hasRun)
    {
        using var document = JsonDocument.Parse(body.ToArray());
        var isKnown = document.RootElement.TryGetProperty("contract", out var contract);
        var changes = isKnown ? operation.ChangesIn(contract.GetRawText()) : ["the server has another contract of it, and does not say which"];
        return changes.Count == 0 ? Signature(operation, contract) : throw new ContractChangedException(operation.Name, changes, hasRun: hasRun);
    }

    private static string Signature(ClientOperation operation, JsonElement contract)
    {
        if (contract.ValueKind == JsonValueKind.Object && contract.TryGetProperty("operations", out var operations) && operations.ValueKind == JsonValueKind.Array)
        {
            foreach (var one in operations.EnumerateArray())
            {
                if (one.ValueKind == JsonValueKind.Object && string.Equals(Text(one, "name"), operation.OwnName, StringComparison.OrdinalIgnoreCase))
                {
                    return Text(one, "signature") ?? "";
                }
            }
        }

        return "";
    }

    /// <summary>The problem that JSON describes; <c>null</c> where it is none.</summary>
    internal static RemoteProblem? TryRead(ReadOnlySpan<byte> json, int? status = null)
    {
        try
        {
            using var document = JsonDocument.Parse(json.ToArray());
            return document.RootElement.ValueKind == JsonValueKind.Object ? Read(document.RootElement, status) : null;
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException)
        {
            // The reader reports a name that is no text (half of a surrogate pair) as the latter.
            return null;
        }
    }

    /// <summary>The problem that an object is.</summary>
    internal static RemoteProblem Read(JsonElement problem, int? status = null) => new(
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

    private static string? Text(JsonElement of, string name)
    {
        if (!of.TryGetProperty(name, out var value) || value.ValueKind != JsonValueKind.String)
        {
            return null;
        }

        try
        {
            return value.GetString();
        }
        catch (InvalidOperationException)
        {
            // Half of a surrogate pair: as if it were not there. The other members are still worth reading.
            return null;
        }
    }

    private static string Beginning(ReadOnlySpan<byte> body) => Encoding.UTF8.GetString(body.Slice(0, Math.Min(body.Length, LongestText)).ToArray());
}
