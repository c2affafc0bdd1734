using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using Weir.Cli.Answers;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary>One run of <c>weir call</c>.</summary>
internal sealed class CallRun(CallSettings settings, CommandConsole console)
{
    private readonly AnswerPrinter _printer = new(settings.IsJson, settings.MostBytes, console);

    /// <summary>Calls the operation and prints what comes of it.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="InputException">An input is wrong.</exception>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        // 1. Check what was typed, as far as that needs no contract.
        var address = Catalog.AddressOf(settings.Address);
        var prefix = settings.Prefix is null ? null : PathPrefix.Parse(settings.Prefix);
        var job = CallJob.Of(settings, console);
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

        operation = job is null ? operation : CallJob.Submitted(name, operation);
        using var request = await new CallRequest(service, operation, console).CreateAsync(address, served, settings.Arguments, cancellationToken);
        var isLines = isStream && (settings.IsStream || console.IsOutputTerminal);
        var isJson = operation.ResultKind is "value" or "stream";
        request.Headers.TryAddWithoutValidation("Accept", isLines ? "application/x-ndjson; weir=1" : operation.ResultKind is "bytes" or "byteStream" or "raw" or "http" ? "*/*" : "application/json");
        job?.Prepare(request);

        // 3. Send it, and print the answer. A server may send anything.
        try
        {
            using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
            if (job is not null && await job.TakeAsync(client, address, served, response, isLines, isJson, cancellationToken) is { } outcome)
            {
                return outcome;
            }

            var exitCode = await PrintAsync(name, response, isLines, isJson, cancellationToken);
            return job is null ? exitCode : await job.WasNoneAsync(name, response, exitCode);
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var exitCode = await _printer.FailAsync(name, failure.Message);
            await (job?.MayBeAcceptedAsync(failure) ?? Task.CompletedTask);
            return exitCode;
        }
        catch (OperationCanceledException cancelled) when (job is not null)
        {
            await job.MayBeAcceptedAsync(cancelled);
            throw;
        }
    }

    private async Task<int> PrintAsync(string name, HttpResponseMessage response, bool isLines, bool isJson, CancellationToken cancellationToken)
    {
        if (!response.IsSuccessStatusCode)
        {
            await _printer.PrintProblemAsync(response, cancellationToken);
            return ExitCodes.Failure;
        }

        if (response.StatusCode == HttpStatusCode.NoContent)
        {
            return ExitCodes.Success;
        }

        if (CallJob.IsAccepted(response))
        {
            // Operations can make every call a job.
            await console.Error.WriteLineAsync($"weir: {name}: the call became a job, which is printed; give --job to wait for its result.");
            return await _printer.PrintResultAsync(name, mustBeJson: true, response.Content, cancellationToken);
        }

        return isLines ? await PrintItemsAsync(name, response, cancellationToken) : await _printer.PrintResultAsync(name, isJson, response.Content, cancellationToken);
    }

    // Each item in its line. Only the last line proves that the stream is complete.
    private async Task<int> PrintItemsAsync(string name, HttpResponseMessage response, CancellationToken cancellationToken)
    {
        var type = response.Content.Headers.ContentType;
        if (response.Content.Headers.ContentEncoding.Count > 0)
        {
            return await _printer.FailAsync(name, $"the answer has the content coding '{string.Join(", ", response.Content.Headers.ContentEncoding)}', which was not asked for");
        }

        if (!StreamLines.IsProved(type))
        {
            return await _printer.FailAsync(name, $"the answer is {(type is null ? "of no type" : type.ToString())}, which cannot prove that a stream is complete");
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
            return await _printer.FailAsync(name, string.Create(CultureInfo.InvariantCulture, $"the line of item {index} cannot be read, so the stream is not complete: {wrong.Message}"));
        }

        await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: the stream was cut before item {index}."));
        return ExitCodes.Failure;
    }

    private async Task<int> EndAsync(string name, StreamLine line, long index)
    {
        switch (line.Kind)
        {
            case StreamLineKind.Problem:
                await _printer.PrintProblemAsync(ProblemText.StatusOf(line.Json), line.Json);
                return ExitCodes.Failure;
            case StreamLineKind.Retry:
                await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: the server is stopping; the stream continues at item {index}."));
                return ExitCodes.Failure;
            default:
                return line.Number == index
                    ? ExitCodes.Success
                    : await _printer.FailAsync(name, string.Create(CultureInfo.InvariantCulture, $"the server sent {line.Number} items, and {index} arrived: the stream is not complete"));
        }
    }
}
