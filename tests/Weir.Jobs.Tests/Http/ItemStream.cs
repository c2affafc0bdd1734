using System.Globalization;

namespace Weir.Jobs.Tests.Http;

/// <summary>One event of a stream of server-sent events.</summary>
/// <param name="Id">Its id; <c>null</c> for none.</param>
/// <param name="Name">Its name; <c>null</c> for an item.</param>
/// <param name="Data">Its data; empty where it only moves the reader.</param>
internal sealed record ItemEvent(string? Id, string? Name, string Data)
{
    /// <summary>The index behind the point of its id.</summary>
    public long Index => long.Parse(Id!.AsSpan(Id!.LastIndexOf('.') + 1), CultureInfo.InvariantCulture);
}

/// <summary>Reads server-sent events as a browser does.</summary>
internal sealed class ItemStream(HttpResponseMessage response) : IDisposable
{
    private StreamReader? _reader;

    public HttpResponseMessage Response => response;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    /// <summary>Begins to read a job's items.</summary>
    public static async Task<ItemStream> OpenAsync(HttpHost host, string address, string? last = null, string? user = null)
    {
        var response = await host.GetAsync($"{address}/items", user, last is null ? ["Accept: text/event-stream"] : ["Accept: text/event-stream", $"Last-Event-ID: {last}"]);
        Assert.True((int)response.StatusCode == 200, $"{(int)response.StatusCode} {(response.IsSuccessStatusCode ? "" : await response.Content.ReadAsStringAsync(Ct))}");
        return new ItemStream(response);
    }

    /// <summary>The next event; <c>null</c> at the end of the response.</summary>
    public async Task<ItemEvent?> NextAsync()
    {
        _reader ??= new StreamReader(await response.Content.ReadAsStreamAsync(Ct));
        var (id, name, data) = ((string?)null, (string?)null, "");
        while (await _reader.ReadLineAsync(Ct) is { } line)
        {
            switch (line.Split(": ", 2))
            {
                case [""] when id is not null || name is not null || data.Length > 0:
                    return new ItemEvent(id, name, data);
                case ["id", var value]:
                    id = value;
                    break;
                case ["event", var value]:
                    name = value;
                    break;
                case ["data", var value]:
                    data = value;
                    break;
                default:
                    break;
            }
        }

        return null;
    }

    public async Task<List<ItemEvent>> RestAsync()
    {
        var events = new List<ItemEvent>();
        while (await NextAsync() is { } next)
        {
            events.Add(next);
        }

        return events;
    }

    public void Dispose()
    {
        _reader?.Dispose();
        response.Dispose();
    }
}
