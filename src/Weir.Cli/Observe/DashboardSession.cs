using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Text;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Observe;

/// <summary>Requests to the dashboard of one application. One flow.</summary>
/// <param name="client">What sends them.</param>
/// <param name="address">Where the dashboard is, with a slash at its end.</param>
/// <param name="console">Its clock.</param>
internal sealed class DashboardSession(HttpClient client, Uri address, CommandConsole console)
{
    private const string DefaultPath = "/weir";

    // A report has 128 KB, and a record 64 KB.
    private const int MostBytes = 16 * 1024 * 1024;
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    /// <summary>Runs a command: an answer that cannot be had is a line, and exit code 1.</summary>
    public static async Task<int> RunAsync(DashboardOptions.Values given, CommandConsole console, Func<DashboardSession, Task<int>> run)
    {
        var address = AddressOf(given.Address);
        using var client = Catalog.CreateClient(given.Headers);
        try
        {
            return await run(new DashboardSession(client, address, console));
        }
        catch (DashboardException failure)
        {
            await console.Error.WriteLineAsync($"weir: {failure.Message}");
            return ExitCodes.Failure;
        }
    }

    /// <summary>Sends JSON.</summary>
    /// <param name="rest">What follows the address.</param>
    /// <param name="json">What is sent.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The text of the answer.</returns>
    /// <exception cref="DashboardException">It was refused, or there is no answer.</exception>
    public async Task<string> PostAsync(string rest, ReadOnlyMemory<byte> json, CancellationToken cancellationToken)
    {
        using var content = new ReadOnlyMemoryContent(json);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        return Encoding.UTF8.GetString((await ReadAsync(new HttpRequestMessage(HttpMethod.Post, new Uri(address, rest)) { Content = content }, cancellationToken)).Span);
    }

    /// <summary>An answer as it was sent.</summary>
    /// <param name="rest">What follows the address.</param>
    /// <param name="accept">What it may be.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="DashboardException">There is none.</exception>
    public Task<ReadOnlyMemory<byte>> GetAsync(string rest, string accept, CancellationToken cancellationToken) => ReadAsync(Get(rest, accept), cancellationToken);

    /// <summary>The same as text.</summary>
    /// <exception cref="DashboardException">There is none.</exception>
    public async Task<string> GetTextAsync(string rest, CancellationToken cancellationToken) => Encoding.UTF8.GetString((await GetAsync(rest, "text/plain", cancellationToken)).Span);

    /// <summary>An answer that is read by the caller.</summary>
    /// <exception cref="DashboardException">There is none.</exception>
    public Task<HttpResponseMessage> OpenAsync(string rest, string accept, CancellationToken cancellationToken) => SendAsync(Get(rest, accept), cancellationToken);

    private async Task<ReadOnlyMemory<byte>> ReadAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(Limit, console.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            using var response = await SendAsync(request, either.Token);
            return await ResponseBytes.ReadAsync(response.Content, MostBytes, either.Token)
                ?? throw new DashboardException(string.Create(CultureInfo.InvariantCulture, $"{request.RequestUri} answered with more than {MostBytes} bytes, which no dashboard sends."));
        }
        catch (OperationCanceledException failure) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new DashboardException(string.Create(CultureInfo.InvariantCulture, $"{request.RequestUri} has not answered within {Limit.TotalSeconds} s."), isPassing: true, failure);
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw Unreachable(request, failure);
        }
    }

    private HttpRequestMessage Get(string rest, string accept)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, new Uri(address, rest));
        request.Headers.TryAddWithoutValidation("Accept", accept);
        return request;
    }

    // The request is disposed.
    private async Task<HttpResponseMessage> SendAsync(HttpRequestMessage sent, CancellationToken cancellationToken)
    {
        using var request = sent;
        HttpResponseMessage response;
        try
        {
            response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw Unreachable(request, failure);
        }

        if (response.StatusCode is HttpStatusCode.OK or HttpStatusCode.Accepted)
        {
            return response;
        }

        using (response)
        {
            var text = response.Content.Headers.ContentType?.MediaType == "text/plain" && await ResponseBytes.ReadAsync(response.Content, 4_096, cancellationToken) is { } said ? $": {Encoding.UTF8.GetString(said.Span)}" : ".";
            var hint = response.StatusCode switch
            {
                HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden => " --header must bring what the dashboard's policy asks for.",
                HttpStatusCode.NotFound when text == "." => " Nothing is served there: the application must call app.MapWeirDashboard() (package Weir.Dashboard), and the URL must have its path if that is not /weir.",
                _ => "",
            };
            throw new DashboardException(
                string.Create(CultureInfo.InvariantCulture, $"{request.RequestUri} answered with {(int)response.StatusCode}{text}{hint}"), isPassing: response.StatusCode == HttpStatusCode.ServiceUnavailable);
        }
    }

    // The URL of the application is enough where the dashboard is at its usual path.
    private static Uri AddressOf(string typed)
    {
        var address = Catalog.AddressOf(typed);
        var path = address.AbsolutePath.TrimEnd('/');
        return new Uri(address, (path.Length == 0 ? DefaultPath : path) + "/");
    }

    private static DashboardException Unreachable(HttpRequestMessage request, Exception failure) => new($"{request.RequestUri} cannot be reached: {failure.Message}", isPassing: true, failure);
}
