using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary>One run of <c>weir call</c>.</summary>
internal sealed class CallRun(CallSettings settings, CommandConsole console)
{
    private static readonly JsonWriterOptions Readable = new() { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Calls the operation and prints what comes of it.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="InputException">An input is wrong.</exception>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        if (!Uri.TryCreate(settings.Address, UriKind.Absolute, out var address) || address is not { Scheme: "http" or "https", UserInfo: "" })
        {
            throw new InputException($"'{settings.Address}' is no URL that begins with http:// or https:// and has no user name.");
        }

        using var client = Catalog.CreateClient(settings.Headers);
        var services = await Catalog.ReadAsync(client, settings.Address, cancellationToken);
        var (service, operation) = CallRequest.Find(services, settings.Operation);
        if (service is null || operation is null)
        {
            throw new InputException(service is null
                ? $"there is no service '{settings.Operation.Split('/')[0]}'; choose {string.Join(", ", services.Select(static one => one.Name))}."
                : $"{service.Name} has no such operation; choose {string.Join(", ", service.Operations.Select(one => $"{service.Name}/{one.Name}"))}.");
        }

        var isStream = operation.ResultKind == "stream";
        if (settings.IsStream && !isStream)
        {
            throw new InputException($"--stream is given, and {service.Name}/{operation.Name} returns one result; leave it out.");
        }

        using var request = await new CallRequest(service, operation, console).CreateAsync(new Uri(address.GetLeftPart(UriPartial.Authority)), settings.Arguments, cancellationToken);
        var isLines = isStream && (settings.IsStream || console.IsOutputTerminal);
        request.Headers.TryAddWithoutValidation("Accept", isLines ? "application/x-ndjson; weir=1" : operation.ResultKind is "bytes" or "byteStream" or "raw" or "http" ? "*/*" : "application/json");
        try
        {
            using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
            if (!response.IsSuccessStatusCode)
            {
                await PrintProblemAsync((int)response.StatusCode, await response.Content.ReadAsStringAsync(cancellationToken));
                return ExitCodes.Failure;
            }

            await using var body = await response.Content.ReadAsStreamAsync(cancellationToken);
            return isLines ? await PrintItemsAsync(body, cancellationToken) : await PrintResultAsync(response.Content.Headers.ContentType?.MediaType, body, cancellationToken);
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            await console.Error.WriteLineAsync($"weir: {service.Name}/{operation.Name}: {failure.Message}");
            return ExitCodes.Failure;
        }
    }

    private async Task<int> PrintResultAsync(string? mediaType, Stream body, CancellationToken cancellationToken)
    {
        if (settings.IsJson || mediaType?.Contains("json", StringComparison.Ordinal) is not true)
        {
            await body.CopyToAsync(console.Output, cancellationToken);
            await console.Output.FlushAsync(cancellationToken);
            return ExitCodes.Success;
        }

        using var json = await JsonDocument.ParseAsync(body, cancellationToken: cancellationToken);
        await console.Out.WriteLineAsync(json.RootElement.ValueKind == JsonValueKind.String ? json.RootElement.GetString() : Format(json.RootElement));
        return ExitCodes.Success;
    }

    // Each item in its line. Only the last line proves that the stream is complete.
    private async Task<int> PrintItemsAsync(Stream body, CancellationToken cancellationToken)
    {
        using var reader = new StreamReader(body, Encoding.UTF8);
        var index = 0L;
        while (await reader.ReadLineAsync(cancellationToken) is { } line)
        {
            if (line.StartsWith("{\"$weir\":{\"item\":", StringComparison.Ordinal))
            {
                line = line[17..^2];
            }
            else if (line.StartsWith("{\"$weir\":", StringComparison.Ordinal))
            {
                return await EndAsync(line, index);
            }

            if (line.Trim().Length > 0)
            {
                await console.Out.WriteLineAsync(line.AsMemory(), cancellationToken);
                index++;
            }
        }

        await console.Error.WriteLineAsync($"weir: the stream was cut before item {index}.");
        return ExitCodes.Failure;
    }

    private async Task<int> EndAsync(string line, long index)
    {
        using var end = JsonDocument.Parse(line);
        var mark = end.RootElement.GetProperty("$weir");
        if (mark.TryGetProperty("problem", out var problem))
        {
            await PrintProblemAsync(problem.TryGetProperty("status", out var status) ? status.GetInt32() : 500, problem.GetRawText());
            return ExitCodes.Failure;
        }

        if (mark.TryGetProperty("retry", out _))
        {
            await console.Error.WriteLineAsync($"weir: the server is stopping; the stream continues at item {index}.");
            return ExitCodes.Failure;
        }

        return ExitCodes.Success;
    }

    private async Task PrintProblemAsync(int status, string text)
    {
        if (settings.IsJson)
        {
            await console.Out.WriteLineAsync(text);
            return;
        }

        JsonDocument? parsed = null;
        try
        {
            parsed = JsonDocument.Parse(text);
        }
        catch (JsonException)
        {
            // Something in between answered with text.
        }

        using var _ = parsed;
        var problem = parsed?.RootElement is { ValueKind: JsonValueKind.Object } found ? found : default;
        var words = new[] { Text(problem, "code"), Text(problem, "title"), Text(problem, "detail") }.Where(static one => one is not null).ToList();
        await console.Error.WriteLineAsync($"weir: {status}{(words.Count == 0 ? text.Length == 0 ? "" : $": {text}" : $": {string.Join(": ", words)}")}");
        if (problem.ValueKind == JsonValueKind.Object && problem.TryGetProperty("bindingErrors", out var errors) && errors.ValueKind == JsonValueKind.Array)
        {
            foreach (var error in errors.EnumerateArray())
            {
                await console.Error.WriteLineAsync($"weir:   {Text(error, "name")} ({Text(error, "source")}): {Text(error, "reason")}{(Text(error, "expected") is { } expected ? $", expected {expected}" : "")}");
            }
        }
    }

    private static string? Text(JsonElement json, string name) => json.ValueKind == JsonValueKind.Object && json.TryGetProperty(name, out var found) && found.ValueKind == JsonValueKind.String ? found.GetString() : null;

    private static string Format(JsonElement json)
    {
        // Bounded by the result, which is in memory already.
        using var buffer = new MemoryStream();
        using (var writer = new Utf8JsonWriter(buffer, Readable))
        {
            json.WriteTo(writer);
        }

        return Encoding.UTF8.GetString(buffer.ToArray());
    }
}
