namespace Weir.Lab.Contenders.FanOut;

/// <summary>Sends so many requests to one address and returns the bodies of their responses.</summary>
internal delegate Task<IReadOnlyList<string>> FanOutWay(HttpClient http, Uri url, int count, bool keepsAlive);

/// <summary>Ways to send many requests over one client.</summary>
internal static class FanOutWays
{
    private static readonly Dictionary<string, FanOutWay> ByName = new()
    {
        ["sequential"] = SequentialAsync,
        ["threads"] = ThreadsAsync,
        ["tasks"] = TasksAsync,
        ["weir"] = WeirAsync,
    };

    public static FanOutWay Named(string name) => ByName[name];

    private static async Task<IReadOnlyList<string>> SequentialAsync(HttpClient http, Uri url, int count, bool keepsAlive)
    {
        var bodies = new string[count];
        for (var i = 0; i < count; i++)
            bodies[i] = await BodyAsync(http, url, keepsAlive);
        return bodies;
    }

    private static Task<IReadOnlyList<string>> ThreadsAsync(HttpClient http, Uri url, int count, bool keepsAlive)
    {
        var bodies = new string[count];
        var failures = new Exception?[count];
        var threads = Enumerable.Range(0, count).Select(i => new Thread(() => Fetch(i))).ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        return failures.OfType<Exception>().FirstOrDefault() is { } failure
            ? Task.FromException<IReadOnlyList<string>>(failure)
            : Task.FromResult<IReadOnlyList<string>>(bodies);

        void Fetch(int i)
        {
            try
            {
                using var request = Request(url, keepsAlive);
                using var response = http.Send(request);
                using var reader = new StreamReader(response.EnsureSuccessStatusCode().Content.ReadAsStream());
                bodies[i] = reader.ReadToEnd();
            }
            catch (Exception exception)
            {
                failures[i] = exception;
            }
        }
    }

    private static async Task<IReadOnlyList<string>> TasksAsync(HttpClient http, Uri url, int count, bool keepsAlive) =>
        await Task.WhenAll(Enumerable.Range(0, count).Select(_ => BodyAsync(http, url, keepsAlive)));

    private static async Task<IReadOnlyList<string>> WeirAsync(HttpClient http, Uri url, int count, bool keepsAlive)
    {
        var bodies = new string[count];
        var requests = Enumerable.Range(0, count).Select(_ => Request(url, keepsAlive));
        var options = new FanOutOptions { MaxConcurrency = count };
        await foreach (var result in http.SendAllAsync(requests, ReadAsync, options))
            bodies[result.Index] = result.Value;
        return bodies;
    }

    private static async ValueTask<string> ReadAsync(HttpResponseMessage response, CancellationToken cancellation) =>
        await response.EnsureSuccessStatusCode().Content.ReadAsStringAsync(cancellation);

    private static async Task<string> BodyAsync(HttpClient http, Uri url, bool keepsAlive)
    {
        using var request = Request(url, keepsAlive);
        using var response = await http.SendAsync(request);
        return await response.EnsureSuccessStatusCode().Content.ReadAsStringAsync();
    }

    private static HttpRequestMessage Request(Uri url, bool keepsAlive)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, url);
        if (!keepsAlive)
            request.Headers.ConnectionClose = true;
        return request;
    }
}
