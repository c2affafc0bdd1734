using System.Globalization;
using System.Net.Http.Headers;
using Weir.Cli.Answers;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Requests for the jobs of one application. Not for concurrent use, but for a reader of items beside a request.</summary>
/// <param name="client">What sends them.</param>
/// <param name="address">Where the jobs are.</param>
/// <param name="console">Its clock.</param>
internal sealed class JobsSession(HttpClient client, JobsAddress address, CommandConsole console)
{
    // A page of 1,000 jobs has about 2 MB.
    private const int MostBytes = 64 * 1024 * 1024;

    // Beyond the time that the server was asked to wait.
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    /// <summary>Where the jobs are.</summary>
    public JobsAddress Address => address;

    /// <summary>Runs a command: an answer that cannot be had is a line, and exit code 1.</summary>
    public static async Task<int> RunAsync(JobsSettings settings, CommandConsole console, Func<JobsSession, Task<int>> run)
    {
        var address = JobsAddress.Parse(settings.Address, settings.Path);
        using var client = Catalog.CreateClient(settings.Headers);
        try
        {
            return await run(new JobsSession(client, address, console));
        }
        catch (JobsException failure)
        {
            await console.Error.WriteLineAsync($"weir: {failure.Message}");
            return ExitCodes.Failure;
        }
    }

    /// <summary>Sends a request, and reads its answer.</summary>
    /// <param name="method">The method.</param>
    /// <param name="rest">What follows the path of the jobs.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <param name="wait">For how many seconds the server may wait for the job's end; <c>null</c> for not at all.</param>
    /// <param name="json">The body; <c>null</c> for none.</param>
    /// <exception cref="JobsException">There is no answer, or one that is too long.</exception>
    public async Task<JobsAnswer> SendAsync(HttpMethod method, string rest, CancellationToken cancellationToken, int? wait = null, byte[]? json = null)
    {
        using var request = new HttpRequestMessage(method, address.Of(rest));
        request.Headers.TryAddWithoutValidation("Accept", "application/json");
        if (wait is { } seconds)
        {
            request.Headers.TryAddWithoutValidation("Prefer", string.Create(CultureInfo.InvariantCulture, $"wait={seconds}"));
        }

        if (json is not null)
        {
            request.Content = new ByteArrayContent(json) { Headers = { ContentType = new MediaTypeHeaderValue("application/json") } };
        }

        var limit = Limit + TimeSpan.FromSeconds(wait ?? 0);
        using var timeout = new CancellationTokenSource(limit, console.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, either.Token);
            var text = await ResponseBytes.ReadAsync(response.Content, MostBytes, either.Token)
                ?? throw new JobsException(string.Create(CultureInfo.InvariantCulture, $"{request.RequestUri} answered with more than {MostBytes} bytes, the limit of an answer."));
            return new JobsAnswer(request.RequestUri!, (int)response.StatusCode, text) { RetryAfter = response.Headers.RetryAfter?.Delta };
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw Unreachable(request, failure);
        }
        catch (OperationCanceledException failure) when (timeout.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new JobsException($"{request.RequestUri} has not answered within {Durations.Waiting(limit)}.", isPassing: true, failure);
        }
    }

    /// <summary>Sends a GET request whose answer is read by the caller: a result or items.</summary>
    /// <param name="rest">What follows the path of the jobs.</param>
    /// <param name="accept">What the answer may be.</param>
    /// <param name="after">The id of the last item that has been received; <c>null</c> for none.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="JobsException">There is no answer.</exception>
    public async Task<HttpResponseMessage> OpenAsync(string rest, string accept, string? after, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, address.Of(rest));
        request.Headers.TryAddWithoutValidation("Accept", accept);
        if (after is not null)
        {
            request.Headers.TryAddWithoutValidation("Last-Event-ID", after);
        }

        try
        {
            return await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw Unreachable(request, failure);
        }
    }

    /// <summary>Prints why the server did not do what was asked, and what may help.</summary>
    /// <param name="answer">The answer.</param>
    /// <param name="map">What the application must call to serve this.</param>
    /// <param name="printer">Prints the problem.</param>
    /// <param name="isOfJob">Whether a job was asked for, or a name, which may not be there. Otherwise the server took a word of the path for an id.</param>
    /// <returns>The exit code.</returns>
    public async Task<int> RefuseAsync(JobsAnswer answer, string map, AnswerPrinter printer, bool isOfJob = true)
    {
        await printer.PrintProblemAsync(answer.Status, answer.Text);
        var hint = (answer.Status, isOfJob ? ProblemText.CodeOf(answer.Text) : null) switch
        {
            (404 or 405, null) => $"{answer.Address} is not served: the application must call app.{map}(), and --path must say where if that is not '/$jobs'.",
            (401 or 403, null) => "--header must bring what the application's policy asks for.",
            _ => null,
        };
        if (hint is not null)
        {
            await console.Error.WriteLineAsync($"weir: {hint}");
        }

        return ExitCodes.Failure;
    }

    private static JobsException Unreachable(HttpRequestMessage request, Exception failure) => new($"{request.RequestUri} cannot be reached: {failure.Message}", isPassing: true, failure);
}
