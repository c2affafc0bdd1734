using System.Net;
using System.Text;
using System.Text.Json;

namespace Weir.Lab.Processes;

/// <summary>What a caller of the application with jobs does over HTTP.</summary>
/// <param name="client">Its connections.</param>
/// <param name="process">The application, which serves.</param>
internal sealed class ServedJobs(HttpClient client, ContenderProcess process)
{
    private const string Prefer = "Prefer";

    /// <summary>A client whose connection is closed at once where a response is abandoned: by itself it would read on for up to 2 s.</summary>
    /// <param name="mostConnections">How many it has at once.</param>
    public static HttpClient NewClient(int mostConnections = int.MaxValue) => new(new SocketsHttpHandler
    {
        MaxConnectionsPerServer = mostConnections,
        MaxResponseDrainSize = 0,
        ResponseDrainTimeout = TimeSpan.Zero,
        UseProxy = false,
    })
    {
        Timeout = TimeSpan.FromSeconds(100),
    };

    /// <summary>Calls an operation, and returns what it answers.</summary>
    /// <param name="operation">Its path.</param>
    /// <param name="arguments">A JSON object.</param>
    /// <param name="cancellation">Ends it.</param>
    public async Task<string> CallAsync(string operation, string arguments, CancellationToken cancellation)
    {
        using var response = await PostAsync(operation, arguments, respondsAsync: false, cancellation);
        return await ReadAsync(response, HttpStatusCode.OK, cancellation);
    }

    /// <summary>Submits a job of an operation, and returns its path.</summary>
    public async Task<string> SubmitAsync(string operation, string arguments, CancellationToken cancellation)
    {
        using var response = await PostAsync(operation, arguments, respondsAsync: true, cancellation);
        await ReadAsync(response, HttpStatusCode.Accepted, cancellation);
        return response.Headers.Location?.OriginalString ?? throw new InvalidDataException($"The 202 of {operation} has no Location.");
    }

    /// <summary>A job as it is, in its state <c>state</c>.</summary>
    /// <param name="job">Its path.</param>
    /// <param name="wait">How many seconds to wait for its end; zero for not at all.</param>
    /// <param name="cancellation">Ends it.</param>
    /// <returns>The job, and whether the request has waited for it.</returns>
    public async Task<(JsonElement Job, bool HasWaited)> GetAsync(string job, int wait, CancellationToken cancellation)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, Served.Address(process, job));
        if (wait > 0)
            request.Headers.Add(Prefer, FormattableString.Invariant($"wait={wait}"));
        using var response = await client.SendAsync(request, cancellation);
        return (Parse(await ReadAsync(response, HttpStatusCode.OK, cancellation)), response.Headers.Contains("Preference-Applied"));
    }

    /// <summary>Waits until a job has ended, and returns its state.</summary>
    public async Task<string> EndAsync(string job, CancellationToken cancellation)
    {
        while (true)
        {
            var (now, _) = await GetAsync(job, 60, cancellation);
            if (now.GetProperty("ended").ValueKind != JsonValueKind.Null)
                return StateOf(now);
        }
    }

    /// <summary>The result of a job that has ended.</summary>
    public Task<string> ResultAsync(string job, CancellationToken cancellation) => client.GetStringAsync(Served.Address(process, $"{job}/result"), cancellation);

    /// <summary>Where the items of a job are.</summary>
    public Uri ItemsOf(string job) => Served.Address(process, $"{job}/items");

    public async Task CancelAsync(string job, CancellationToken cancellation)
    {
        using var response = await client.PostAsync(Served.Address(process, $"{job}/cancel"), null, cancellation);
        if (response.StatusCode is not (HttpStatusCode.OK or HttpStatusCode.Accepted))
            throw new InvalidDataException($"{job}/cancel gave {(int)response.StatusCode}: {await response.Content.ReadAsStringAsync(cancellation)}");
    }

    /// <summary>The state of a job.</summary>
    public static string StateOf(JsonElement job) => job.GetProperty("state").GetString()!;

    private async Task<HttpResponseMessage> PostAsync(string operation, string arguments, bool respondsAsync, CancellationToken cancellation)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, Served.Address(process, operation)) { Content = new StringContent(arguments, Encoding.UTF8, "application/json") };
        if (respondsAsync)
            request.Headers.Add(Prefer, "respond-async");
        return await client.SendAsync(request, cancellation);
    }

    private static async Task<string> ReadAsync(HttpResponseMessage response, HttpStatusCode expected, CancellationToken cancellation)
    {
        var body = await response.Content.ReadAsStringAsync(cancellation);
        return response.StatusCode == expected
            ? body
            : throw new InvalidDataException($"{response.RequestMessage?.RequestUri?.AbsolutePath} gave {(int)response.StatusCode} where {(int)expected} is right: {body}");
    }

    private static JsonElement Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.Clone();
    }
}
