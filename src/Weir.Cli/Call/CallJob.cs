using System.Net;
using Weir.Cli.Answers;
using Weir.Cli.Contracts;
using Weir.Cli.Jobs;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary><c>weir call --job</c>: the call is stored as a job, which is waited for.</summary>
internal sealed class CallJob
{
    private const int MostKey = 200;

    private readonly CallSettings _settings;
    private readonly CommandConsole _console;
    private readonly string _key;
    private bool _isAccepted;

    private CallJob(CallSettings settings, CommandConsole console)
    {
        (_settings, _console) = (settings, console);
        _key = settings.Key ?? Guid.NewGuid().ToString("N");
    }

    /// <summary>The job that is asked for; <c>null</c> for a direct call.</summary>
    /// <exception cref="InputException">The options contradict each other.</exception>
    public static CallJob? Of(CallSettings settings, CommandConsole console)
    {
        if (!settings.IsJob)
        {
            return settings.Key is null && !settings.IsNoWait ? null : throw new InputException($"{(settings.Key is null ? "--no-wait" : "--key")} is given without --job; give --job as well, or leave it out.");
        }

        return settings.Key is { } key && (key.Length > MostKey || key.Any(static letter => letter is <= ' ' or > '~' or '"' or '\\'))
            ? throw new InputException($"--key is '{SafeText.Cut(key, MostKey)}'; choose 1 to {MostKey} visible ASCII characters without quotation marks and backslashes.")
            : new CallJob(settings, console);
    }

    /// <summary>Whether the server answered with a job.</summary>
    public static bool IsAccepted(HttpResponseMessage response) => response.StatusCode == HttpStatusCode.Accepted && response.Headers.NonValidated.Contains("Location");

    /// <summary>The operation with the route by which it is submitted: a request that may change something.</summary>
    /// <param name="name">What messages call it.</param>
    /// <param name="operation">The operation.</param>
    /// <exception cref="InputException">It has none.</exception>
    public static OperationContract Submitted(string name, OperationContract operation)
    {
        var routes = operation.Routes.Select(static route => route with { Verbs = [.. route.Verbs.Where(static verb => verb is not ("GET" or "HEAD"))] }).Where(static route => route.Verbs.Count > 0).ToList();
        return routes.Count > 0 ? operation with { Routes = routes } : throw new InputException($"--job is given, and {name} is called by GET, which makes no job; leave it out.");
    }

    /// <summary>Asks for a job.</summary>
    public void Prepare(HttpRequestMessage request)
    {
        request.Headers.TryAddWithoutValidation("Prefer", "respond-async");
        request.Headers.TryAddWithoutValidation("Idempotency-Key", _key);
    }

    /// <summary>Takes a job that was accepted, and waits for it.</summary>
    /// <param name="client">What sent the request.</param>
    /// <param name="server">The server that was typed.</param>
    /// <param name="served">Where its paths begin.</param>
    /// <param name="response">Its answer.</param>
    /// <param name="isLines">Whether each item is a line.</param>
    /// <param name="mustBeJson">Whether the contract says JSON.</param>
    /// <param name="cancellationToken">Fires on Ctrl-C.</param>
    /// <returns>The exit code; <c>null</c> where no job was accepted.</returns>
    public async Task<int?> TakeAsync(HttpClient client, Uri server, ServedServices served, HttpResponseMessage response, bool isLines, bool mustBeJson, CancellationToken cancellationToken)
    {
        // 1. Where is it?
        var location = response.Headers.NonValidated.TryGetValues("Location", out var values) ? values.ToString() : null;
        var found = location is null ? null : JobsAddress.OfJob(server, response.RequestMessage!.RequestUri!, location, served.Base);
        if (response.StatusCode != HttpStatusCode.Accepted)
        {
            if (found is { } unsure && !response.IsSuccessStatusCode)
            {
                await _console.Error.WriteLineAsync($"weir: the job may have been accepted: weir jobs show {unsure.Address.Words} {unsure.Id:D} shows whether it was, and the same command with --key {ShellWord.Of(_key)} finds it or submits it.");
            }

            return null;
        }

        _isAccepted = true;
        if (found is not var (address, id))
        {
            await _console.Error.WriteLineAsync($"weir: the server accepted a job, and its answer has {(location is null ? "no Location" : $"the Location '{SafeText.Cut(location, 200)}'")}, by which it cannot be found.");
            return ExitCodes.Failure;
        }

        // 2. Say so.
        if (response.Headers.NonValidated.TryGetValues("Idempotent-Replayed", out var replayed) && replayed.ToString() == "true")
        {
            await _console.Error.WriteLineAsync("weir: a job with this key was submitted before, and is this one.");
        }

        await _console.Error.WriteLineAsync($"weir: job {id:D}: {address.Of($"/{id:D}")}");
        var text = await ResponseBytes.ReadAsync(response.Content, _settings.MostBytes, cancellationToken) ?? default;
        if (_settings.IsNoWait)
        {
            await (_settings.IsJson ? new AnswerPrinter(isJson: true, _settings.MostBytes, _console).PrintJsonAsync(_settings.Operation, text) : _console.Out.WriteLineAsync(id.ToString("D")));
            return ExitCodes.Success;
        }

        // 3. Wait for it.
        var form = new JobResultForm
        {
            Accept = mustBeJson ? "application/json" : "*/*",
            MustBeJson = mustBeJson,
            IsLines = isLines,
            IsJson = _settings.IsJson,
            MostBytes = _settings.MostBytes,
            HasHeaders = _settings.Headers.Count > 0,
        };
        try
        {
            var known = JsonMembers.Parse(text) is { } json ? JobView.Read(json) : null;
            return await new JobWait(new JobsSession(client, address, _console), id, form, _console).RunAsync(known, timeout: null, cancellationToken);
        }
        catch (JobsException failure)
        {
            await _console.Error.WriteLineAsync($"weir: {failure.Message}");
            return ExitCodes.Failure;
        }
    }

    /// <summary>The server answered with a result instead of a job.</summary>
    /// <returns>The exit code: a command that was to print an id has not done so.</returns>
    public async Task<int> WasNoneAsync(string name, HttpResponseMessage response, int exitCode)
    {
        if (response.IsSuccessStatusCode)
        {
            await _console.Error.WriteLineAsync(
                $"weir: {name} did not become a job: the server called it at once and answered {(int)response.StatusCode}. The operation must be marked [Job], and the application must call AddWeirJobs and app.MapWeirJobs().");
            return _settings.IsNoWait && exitCode == ExitCodes.Success ? ExitCodes.Failure : exitCode;
        }

        return exitCode;
    }

    /// <summary>Says what to do where it is not known whether the server accepted it.</summary>
    /// <param name="failure">Why there is no answer.</param>
    public Task MayBeAcceptedAsync(Exception failure) => _isAccepted || failure is HttpRequestException { HttpRequestError: HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError or HttpRequestError.SecureConnectionError }
        ? Task.CompletedTask
        : _console.Error.WriteLineAsync($"weir: the job may have been accepted; the same command with --key {ShellWord.Of(_key)} finds it or submits it.");
}
