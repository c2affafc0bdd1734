using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Answers;

/// <summary>Prints the answer of a call: its result, or why there is none. A server may send anything.</summary>
/// <param name="isJson">Nothing is made readable, and a problem is JSON on standard output.</param>
/// <param name="most">The most bytes of a result that is made readable.</param>
/// <param name="console">Where it is printed.</param>
internal sealed class AnswerPrinter(bool isJson, int most, CommandConsole console)
{
    /// <summary>64 MB.</summary>
    public const int DefaultMostBytes = 64 * 1024 * 1024;

    private static readonly JsonWriterOptions Readable = new() { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>A line that says why there is nothing to print.</summary>
    /// <param name="name">What was called.</param>
    /// <param name="reason">Why.</param>
    /// <returns>The exit code.</returns>
    public async Task<int> FailAsync(string name, string reason)
    {
        await console.Error.WriteLineAsync($"weir: {name}: {reason.TrimEnd('.')}.");
        return ExitCodes.Failure;
    }

    /// <summary>Prints a result.</summary>
    /// <param name="name">What was called.</param>
    /// <param name="mustBeJson">Whether the contract says JSON.</param>
    /// <param name="content">The body of a response that succeeded.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <returns>The exit code.</returns>
    public async Task<int> PrintResultAsync(string name, bool mustBeJson, HttpContent content, CancellationToken cancellationToken)
    {
        var mediaType = content.Headers.ContentType?.MediaType;
        var hasJson = mediaType?.Contains("json", StringComparison.OrdinalIgnoreCase) is true;
        if (content.Headers.ContentEncoding.Count > 0 && (mustBeJson || (hasJson && !isJson)))
        {
            return await FailAsync(name, $"the answer has the content coding '{string.Join(", ", content.Headers.ContentEncoding)}', which was not asked for");
        }

        if (mustBeJson && !hasJson)
        {
            return await FailAsync(name, $"the answer is {mediaType ?? "of no type"}, and the contract says JSON; something between may have answered");
        }

        if (isJson || !hasJson)
        {
            await using var body = await content.ReadAsStreamAsync(cancellationToken);
            await body.CopyToAsync(console.Output, cancellationToken);
            await console.Output.FlushAsync(cancellationToken);
            return ExitCodes.Success;
        }

        if (await ResponseBytes.ReadAsync(content, most, cancellationToken) is not { } text)
        {
            return await FailAsync(name, string.Create(CultureInfo.InvariantCulture, $"the result has more than {most} bytes, the limit of --max-bytes; raise it, or give --json, which keeps nothing in memory"));
        }

        return await PrintJsonAsync(name, text);
    }

    /// <summary>Prints JSON that is in memory.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> PrintJsonAsync(string name, ReadOnlyMemory<byte> text)
    {
        if (isJson)
        {
            await console.Out.WriteLineAsync(Encoding.UTF8.GetString(text.Span));
            return ExitCodes.Success;
        }

        try
        {
            using var json = JsonDocument.Parse(text, new JsonDocumentOptions { MaxDepth = JsonMembers.MostDepth });
            await console.Out.WriteLineAsync(Readably(json.RootElement, text));
            return ExitCodes.Success;
        }
        catch (JsonException wrong)
        {
            return await FailAsync(name, $"the result is no JSON: {wrong.Message}");
        }
    }

    /// <summary>Prints the problem of a response.</summary>
    public async Task PrintProblemAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        var status = (int)response.StatusCode;
        if (await ResponseBytes.ReadAsync(response.Content, ProblemText.MostBytes, cancellationToken) is { } text)
        {
            await PrintProblemAsync(status, text);
        }
        else
        {
            await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: {status}: the problem has more than {ProblemText.MostBytes} bytes, the limit of a problem, and is not shown."));
        }
    }

    /// <summary>Prints a problem.</summary>
    /// <param name="status">The status of the answer.</param>
    /// <param name="text">As it was sent.</param>
    public async Task PrintProblemAsync(int status, ReadOnlyMemory<byte> text)
    {
        if (isJson)
        {
            await console.Out.WriteLineAsync(Encoding.UTF8.GetString(text.Span));
        }
        else
        {
            await ProblemText.PrintAsync(console, status, text);
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
