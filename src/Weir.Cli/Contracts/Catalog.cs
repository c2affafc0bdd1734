using System.Net.Http.Headers;
using System.Text.Json;
using Weir.Cli.Terminal;

namespace Weir.Cli.Contracts;

/// <summary>Finds contracts: in the catalog of a running server, or in a built assembly.</summary>
internal static class Catalog
{
    private const string DefaultPath = "/$catalog";

    /// <summary>The contracts of a source.</summary>
    /// <param name="from">A URL, of the server or of its catalog, or a file.</param>
    /// <param name="headers">What a request has besides, each <c>Name: value</c>.</param>
    /// <param name="console">Where relative files are.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    /// <exception cref="InputException">The source cannot be read, or has no contracts.</exception>
    public static async Task<IReadOnlyList<ServiceContract>> ReadAsync(string from, IReadOnlyList<string> headers, CommandConsole console, CancellationToken cancellationToken)
    {
        if (!IsAddress(from))
        {
            return Parse(from, () => [.. AssemblyContracts.Read(from, console.PathOf(from)).Select(static text => ContractReader.Read(JsonElement.Parse(text)))]);
        }

        using var client = CreateClient(headers);
        return await ReadAsync(client, from, cancellationToken, settings => console.Error.WriteLine(
            $"weir: warning: the application changes JSON by ConfigureHttpJsonOptions ({settings}), and the contracts describe Weir's own rules; compare what the server sends with the types."));
    }

    /// <summary>The contracts of a running server.</summary>
    /// <param name="client">What sends the request.</param>
    /// <param name="from">The URL of the server or of its catalog.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    /// <exception cref="InputException">The catalog cannot be read.</exception>
    /// <param name="onSettings">Is called with the settings by which the application changes JSON, if it does: the contracts do not know them.</param>
    public static async Task<IReadOnlyList<ServiceContract>> ReadAsync(HttpClient client, string from, CancellationToken cancellationToken, Action<string>? onSettings = null)
    {
        var address = CatalogOf(new Uri(from));
        string text;
        try
        {
            using var response = await client.GetAsync(address, cancellationToken);
            if (!response.IsSuccessStatusCode)
            {
                throw new InputException($"{address} answered {(int)response.StatusCode}; the application must call app.MapWeirCatalog(), and --header must bring what its policy asks for.");
            }

            text = await response.Content.ReadAsStringAsync(cancellationToken);
        }
        catch (HttpRequestException failure)
        {
            throw new InputException($"{address} cannot be read: {failure.Message}", failure);
        }

        return Parse(address.ToString(), () =>
        {
            using var document = JsonDocument.Parse(text);
            if (document.RootElement.TryGetProperty("jsonSettings", out var settings))
            {
                onSettings?.Invoke(string.Join(", ", settings.EnumerateArray().Select(static one => one.GetString())));
            }

            return [.. document.RootElement.GetProperty("services").EnumerateArray().Where(static one => one.TryGetProperty("contract", out _)).Select(Service)];
        });
    }

    /// <summary>A client that sends headers that a user gave.</summary>
    /// <exception cref="InputException">One is no header.</exception>
    public static HttpClient CreateClient(IReadOnlyList<string> headers)
    {
        var client = new HttpClient(new SocketsHttpHandler { UseCookies = false, AllowAutoRedirect = false, ActivityHeadersPropagator = null }) { Timeout = Timeout.InfiniteTimeSpan };
        client.DefaultRequestHeaders.UserAgent.Add(new ProductInfoHeaderValue("weir", null));
        foreach (var header in headers)
        {
            if (header.Split(':', 2, StringSplitOptions.TrimEntries) is not [{ Length: > 0 } name, var value] || !client.DefaultRequestHeaders.TryAddWithoutValidation(name, value))
            {
                client.Dispose();
                throw new InputException($"--header is '{header}'; write 'Name: value'.");
            }
        }

        return client;
    }

    /// <summary>Whether a source is a URL.</summary>
    public static bool IsAddress(string from) => Uri.TryCreate(from, UriKind.Absolute, out var address) && address is { Scheme: "http" or "https" };

    // The address of a server alone stands for its catalog.
    private static Uri CatalogOf(Uri address) => address.AbsolutePath == "/" ? new Uri(address, DefaultPath) : address;

    private static ServiceContract Service(JsonElement json)
    {
        var served = new Dictionary<(string, string), string>();
        foreach (var operation in json.GetProperty("operations").EnumerateArray())
        {
            foreach (var route in operation.GetProperty("routes").EnumerateArray())
            {
                served.TryAdd((operation.GetProperty("name").GetString()!, route.GetProperty("verb").GetString()!), route.GetProperty("path").GetString()!);
            }
        }

        return ContractReader.Read(json.GetProperty("contract"), served);
    }

    private static IReadOnlyList<ServiceContract> Parse(string from, Func<IReadOnlyList<ServiceContract>> read)
    {
        try
        {
            return read() is { Count: > 0 } services ? services : throw new InputException($"{from} has no services.");
        }
        catch (Exception wrong) when (wrong is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new InputException($"{from} is no catalog that this version of weir reads: {wrong.Message}", wrong);
        }
    }
}
