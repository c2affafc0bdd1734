using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary>One run of <c>weir call</c>.</summary>
internal sealed class CallRun(CallSettings settings, CommandConsole console)
{
    private const int MostDepth = 1000;

    private static readonly JsonWriterOptions Readable = new() { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Calls the operation and prints what comes of it.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="InputException">An input is wrong.</exception>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        // 1. Check what was typed, as far as that needs no contract.
        var address = Catalog.AddressOf(settings.Address);
        var prefix = settings.Prefix is null ? null : PathPrefix.Parse(settings.Prefix);
        using var client = Catalog.CreateClient(settings.Headers);

        // 2. Find the operation, and make the request.
        var served = await Catalog.ReadAsync(client, address, prefix, cancellationToken);
        var (service, operation) = CallRequest.Find(served.Services, settings.Operation);
        if (service is null || operation is null)
        {
            throw new InputException(service is null
                ? $"there is no service '{settings.Operation.Trim('/').Split('/')[0]}'; choose {string.Join(", ", served.Services.Select(static one => one.Name))}."
                : $"{service.Name} has no such operation; choose {string.Join(", ", service.Operations.Select(one => $"{service.Name}/{one.Name}"))}.");
        }

        if (service.Prefixes.Count > 1)
        {
            throw Catalog.Ambiguous(service);
        }

        var name = $"{service.Name}/{operation.Name}";
        var isStream = operation.ResultKind == "stream";
        if (settings.IsStream && !isStream)
        {
            throw new InputException($"--stream is given, and {name} returns one result; leave it out.");
        }

        using var request = await new CallRequest(service, operation, console).CreateAsync(address, served, settings.Arguments, cancellationToken);
        var isLines = isStream && (settings.IsStream || console.IsOutputTerminal);
        var isJson = operation.ResultKind is "value" or "stream";
        request.Headers.TryAddWithoutValidation("Accept", isLines ? "application/x-ndjson; weir=1" : operation.ResultKind is "bytes" or "byteStream" or "raw" or "http" ? "*/*" : "application/json");

        // 3. Send it, and print the answer. A server may send anything.
        try
        {
            using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
            if (!response.IsSuccessStatusCode)
            {
                await PrintProblemAsync(response, cancellationToken);
                return ExitCodes.Failure;
            }

            if (response.StatusCode == HttpStatusCode.NoContent)
            {
                return ExitCodes.Success;
            }

            if (response.Content.Headers.ContentEncoding.Count > 0 && isJson)
            {
                return await FailAsync(name, $"the answer has the content coding '{string.Join(", ", response.Content.Headers.ContentEncoding)}', which was not asked for");
            }

            return isLines ? await PrintItemsAsync(name, response, cancellationToken) : await PrintResultAsync(name, isJson, response.Content, cancellationToken);
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return await FailAsync(name, failure.Message);
        }
    }

    private async Task<int> FailAsync(string name, string reason)
    {
        await console.Error.WriteLineAsync($"weir: {name}: {reason.TrimEnd('.')}.");
        return ExitCodes.Failure;
    }

    private async Task<int> PrintResultAsync(string name, bool isJson, HttpContent content, CancellationToken cancellationToken)
    {
        var mediaType = content.Headers.ContentType?.MediaType;
        var hasJson = mediaType?.Contains("json", StringComparison.OrdinalIgnoreCase) is true;
        if (isJson && !hasJson)
        {
            return await FailAsync(name, $"the answer is {mediaType ?? "of no type"}, and the contract says JSON; something between may have answered");
        }

        if (settings.IsJson || !hasJson)
        {
            await using var body = await content.ReadAsStreamAsync(cancellationToken);
            await body.CopyToAsync(console.Output, cancellationToken);
            await console.Output.FlushAsync(cancellationToken);
            return ExitCodes.Success;
        }

        if (await ResponseBytes.ReadAsync(content, settings.MostBytes, cancellationToken) is not { } text)
        {
            return await FailAsync(name, string.Create(CultureInfo.InvariantCulture, $"the result has more than {settings.MostBytes} bytes, the limit of --max-bytes; raise it, or give --json, which keeps nothing in memory"));
        }

        try
        {
            using var json = JsonDocument.Parse(text, new JsonDocumentOptions { MaxDepth = MostDepth });
            await console.Out.WriteLineAsync(Readably(json.RootElement, text));
            return ExitCodes.Success;
        }
        catch (JsonException wrong)
        {
            return await FailAsync(name, $"the result is no JSON: {wrong.Message}");
        }
    }

    // Each item in its line. Only the last line proves that the stream is complete.
    private async Task<int> PrintItemsAsync(string name, HttpResponseMessage response, CancellationToken cancellationToken)
    {
        var type = response.Content.Headers.ContentType;
        if (type is not { MediaType: "application/x-ndjson" } || !type.Parameters.Any(static one => one is { Name: "weir", Value: "1" }))
        {
            return await FailAsync(name, $"the answer is {(type is null ? "of no type" : type.ToString())}, which cannot prove that a stream is complete");
        }

        await using var body = await response.Content.ReadAsStreamAsync(cancellationToken);
        var index = 0L;
        try
        {
            await foreach (var text in StreamLines.ReadAsync(body, settings.MostBytes, cancellationToken))
            {
                var line = StreamLine.Parse(text);
                if (line.Kind != StreamLineKind.Item)
                {
                    return await EndAsync(name, line, index);
                }

                await console.Out.WriteLineAsync(Encoding.UTF8.GetString(line.Json.Span).AsMemory(), cancellationToken);
                index++;
            }
        }
        catch (JsonException wrong)
        {
            return await FailAsync(name, string.Create(CultureInfo.InvariantCulture, $"the line of item {index} cannot be read, so the stream is not complete: {wrong.Message}"));
        }

        await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: the stream was cut before item {index}."));
        return ExitCodes.Failure;
    }

    private async Task<int> EndAsync(string name, StreamLine line, long index)
    {
        switch (line.Kind)
        {
            case StreamLineKind.Problem:
                await PrintProblemAsync(CallProblem.StatusOf(line.Json), line.Json);
                return ExitCodes.Failure;
            case StreamLineKind.Retry:
                await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: the server is stopping; the stream continues at item {index}."));
                return ExitCodes.Failure;
            default:
                return line.Number == index
                    ? ExitCodes.Success
                    : await FailAsync(name, string.Create(CultureInfo.InvariantCulture, $"the server sent {line.Number} items, and {index} arrived: the stream is not complete"));
        }
    }

    private async Task PrintProblemAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        var status = (int)response.StatusCode;
        if (await ResponseBytes.ReadAsync(response.Content, CallProblem.MostBytes, cancellationToken) is { } text)
        {
            await PrintProblemAsync(status, text);
        }
        else
        {
            await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: {status}: the problem has more than {CallProblem.MostBytes} bytes, the limit of a problem, and is not shown."));
        }
    }

    private async Task PrintProblemAsync(int status, ReadOnlyMemory<byte> text)
    {
        if (settings.IsJson)
        {
            await console.Out.WriteLineAsync(Encoding.UTF8.GetString(text.Span));
        }
        else
        {
            await CallProblem.PrintAsync(console, status, text);
        }
    }

    // A string as its text, everything else indented. What .NET cannot write, such as half a surrogate pair, stays as it was sent.
    private static string Readably(JsonElement json, ReadOnlyMemory<byte> text)
    {
        try
        {
            return json.ValueKind == JsonValueKind.String ? json.GetString()! : Format(json);
        }
        catch (Exception wrong) when (wrong is InvalidOperationException or ArgumentException)
        {
            return Encoding.UTF8.GetString(text.Span);
        }
    }

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
