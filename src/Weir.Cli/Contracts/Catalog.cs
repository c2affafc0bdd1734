using System.Net.Http.Headers;
using System.Text.Json;
using Weir.Cli.Terminal;

namespace Weir.Cli.Contracts;

/// <summary>Finds contracts: in the catalog of a running server, or in a built assembly.</summary>
internal static class Catalog
{
    private const string DefaultPath = "/$catalog";

    // In memory, as text and as contracts. That of a thousand operations has about 2 MB.
    private const int MostBytes = 64 * 1024 * 1024;

    /// <summary>The contracts of a source.</summary>
    /// <param name="from">A URL, of the server or of its catalog, or a file.</param>
    /// <param name="headers">What a request has besides, each <c>Name: value</c>.</param>
    /// <param name="prefix">Which of the prefixes of <c>MapWeir</c> is meant; <c>null</c> where there is only one.</param>
    /// <param name="console">Where relative files are.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    /// <exception cref="InputException">The source cannot be read, or has no contracts.</exception>
    public static async Task<ServedServices> ReadAsync(string from, IReadOnlyList<string> headers, string? prefix, CommandConsole console, CancellationToken cancellationToken)
    {
        if (!IsAddress(from))
        {
            if (headers.Count > 0 || prefix is not null)
            {
                throw new InputException($"{(prefix is null ? "--header" : "--prefix")} is given, and '{from}' is a file, which has neither requests nor prefixes; leave it out, or give a URL.");
            }

            return new ServedServices(Parse(from, () => [.. AssemblyContracts.Read(from, console.PathOf(from)).Select(static text => ContractReader.Read(JsonElement.Parse(text)))]), "");
        }

        using var client = CreateClient(headers);
        return await ReadAsync(client, AddressOf(from), prefix, cancellationToken, settings => console.Error.WriteLine(
            $"weir: warning: the application changes JSON by ConfigureHttpJsonOptions ({settings}), and the contracts describe Weir's own rules; compare what the server sends with the types."));
    }

    /// <summary>
    /// The contracts of a running server. An address with a path is that of a catalog, or the base below which a catalog is, or a prefix of <c>MapWeir</c> at a server whose
    /// catalog is at its root; they are tried in this order.
    /// </summary>
    /// <param name="client">What sends the requests.</param>
    /// <param name="address">The URL.</param>
    /// <param name="prefix">Which of the prefixes of <c>MapWeir</c> is meant; <c>null</c> where there is only one.</param>
    /// <param name="cancellationToken">Ends the requests.</param>
    /// <param name="onSettings">Is called with the settings by which the application changes JSON, if it does: the contracts do not know them.</param>
    /// <exception cref="InputException">The catalog cannot be read.</exception>
    public static async Task<ServedServices> ReadAsync(HttpClient client, Uri address, string? prefix, CancellationToken cancellationToken, Action<string>? onSettings = null)
    {
        var path = address.AbsolutePath.TrimEnd('/');
        var root = new Uri(address, DefaultPath);
        if (path.Length == 0)
        {
            return new ServedServices(Select(root, await GetAsync(client, root, cancellationToken), prefix, onSettings), "");
        }

        // 1. The address of a catalog: its paths are meant as they are.
        InputException first;
        try
        {
            return new ServedServices(Select(address, await GetAsync(client, address, cancellationToken), prefix, onSettings), "");
        }
        catch (InputException absent) when (absent.InnerException is not HttpRequestException and not IOException)
        {
            first = absent;
        }

        // 2. A base: something between strips it from the paths, unless the catalog has it in them.
        var below = new Uri(address.GetLeftPart(UriPartial.Authority) + path + DefaultPath);
        if (await TryGetAsync(client, below, cancellationToken) is { } served)
        {
            var isInPaths = prefix is null && IsPrefix(served, path);
            return new ServedServices(Select(below, served, isInPaths ? path : prefix, onSettings), isInPaths || HasPathsBelow(served, path) ? "" : path);
        }

        // 3. A prefix.
        if (await TryGetAsync(client, root, cancellationToken) is { } all)
        {
            return prefix is null && IsPrefix(all, path)
                ? new ServedServices(Select(root, all, path, onSettings), "")
                : throw new InputException($"{first.Message} {root} is a catalog, and none of its services is served below {path}; give {address.GetLeftPart(UriPartial.Authority)} without a path{Choices(all)}.");
        }

        throw first;
    }

    /// <summary>Reads the address of a server as it was typed.</summary>
    /// <exception cref="InputException">It is none.</exception>
    public static Uri AddressOf(string text) => Uri.TryCreate(text, UriKind.Absolute, out var address) && address is { Scheme: "http" or "https", UserInfo: "" }
        ? address
        : throw new InputException(address is { UserInfo.Length: > 0 }
            ? $"'{address.GetComponents(UriComponents.HttpRequestUrl, UriFormat.UriEscaped)}' was given with a user name, which is not sent; give --header 'Authorization: …'."
            : $"'{text}' is no URL that begins with http:// or https://.");

    /// <summary>A client that sends headers that a user gave.</summary>
    /// <exception cref="InputException">One is no header.</exception>
    public static HttpClient CreateClient(IReadOnlyList<string> headers)
    {
        var parsed = headers.Select(HeaderText.Parse).ToList();
        var client = new HttpClient(new SocketsHttpHandler { UseCookies = false, AllowAutoRedirect = false, ActivityHeadersPropagator = null }) { Timeout = Timeout.InfiniteTimeSpan };
        client.DefaultRequestHeaders.UserAgent.Add(new ProductInfoHeaderValue("weir", null));
        foreach (var (name, value) in parsed)
        {
            if (!client.DefaultRequestHeaders.TryAddWithoutValidation(name, value))
            {
                client.Dispose();
                throw new InputException($"--header is '{name}: {value}', which describes a body, and weir sets that by itself; leave it out.");
            }
        }

        return client;
    }

    /// <summary>Whether a source is a URL.</summary>
    public static bool IsAddress(string from) => Uri.TryCreate(from, UriKind.Absolute, out var address) && address is { Scheme: "http" or "https" };

    /// <summary>Says which prefixes may be chosen.</summary>
    /// <param name="service">A service with several.</param>
    public static InputException Ambiguous(ServiceContract service) =>
        new($"{service.Name} is served below {string.Join(" and ", service.Prefixes.Select(PathPrefix.Shown))}; choose one with --prefix, such as --prefix {PathPrefix.Shown(service.Prefixes[^1])}.");

    private static async Task<JsonElement> GetAsync(HttpClient client, Uri address, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> text;
        try
        {
            using var response = await client.GetAsync(address, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
            if (!response.IsSuccessStatusCode)
            {
                var moved = (int)response.StatusCode is >= 300 and < 400 && response.Headers.Location is { } target ? $" with another address, {target}; give that one if it is yours" : "";
                throw new InputException($"{address} answered {(int)response.StatusCode}{moved}; the application must call app.MapWeirCatalog(), and --header must bring what its policy asks for.");
            }

            text = await ResponseBytes.ReadAsync(response.Content, MostBytes, cancellationToken)
                ?? throw new InputException($"{address} is longer than {MostBytes / 1024 / 1024} MB, the limit of a catalog; is it one?");
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException or UriFormatException)
        {
            throw new InputException($"{address} cannot be read: {failure.Message}", failure);
        }

        return Read(address.ToString(), () => JsonElement.Parse(text.Span) is { ValueKind: JsonValueKind.Object } json && json.GetProperty("services").ValueKind == JsonValueKind.Array
            ? json
            : throw new JsonException("it has no services"));
    }

    private static async Task<JsonElement?> TryGetAsync(HttpClient client, Uri address, CancellationToken cancellationToken)
    {
        try
        {
            return await GetAsync(client, address, cancellationToken);
        }
        catch (InputException)
        {
            return null;
        }
    }

    private static List<ServiceContract> Select(Uri address, JsonElement catalog, string? prefix, Action<string>? onSettings)
    {
        var services = Parse(address.ToString(), () => Services(catalog, prefix));
        if (catalog.TryGetProperty("jsonSettings", out var settings) && settings.ValueKind == JsonValueKind.Array)
        {
            onSettings?.Invoke(string.Join(", ", settings.EnumerateArray().Select(static one => one.ToString())));
        }

        var chosen = prefix is null ? services : [.. services.Where(static one => one.Prefixes.Count > 0)];
        return chosen.Count > 0 ? chosen : throw new InputException($"--prefix is '{PathPrefix.Shown(prefix!)}', and no service of {address} is served below it{Choices(catalog)}.");
    }

    private static bool IsPrefix(JsonElement catalog, string path) =>
        Read("the catalog", () => Services(catalog, path)).Exists(static one => one.Prefixes.Count > 0);

    private static bool HasPathsBelow(JsonElement catalog, string path) =>
        Read("the catalog", () => Services(catalog, null)).Exists(one => one.Prefixes.Any(prefix => (prefix + "/").StartsWith(path + "/", StringComparison.OrdinalIgnoreCase)));

    private static string Choices(JsonElement catalog)
    {
        var prefixes = Read("the catalog", () => Services(catalog, null)).SelectMany(static one => one.Prefixes).Distinct(StringComparer.OrdinalIgnoreCase).Select(PathPrefix.Shown).ToList();
        return prefixes is ["/"] ? "" : $"; there is {string.Join(", ", prefixes)}";
    }

    private static List<ServiceContract> Services(JsonElement catalog, string? prefix) =>
        [.. catalog.GetProperty("services").EnumerateArray().Where(static one => one.TryGetProperty("contract", out _)).Select(one => Service(one, prefix))];

    private static ServiceContract Service(JsonElement json, string? prefix)
    {
        var served = new Dictionary<(string, string), List<string>>();
        foreach (var operation in json.GetProperty("operations").EnumerateArray())
        {
            foreach (var route in operation.GetProperty("routes").EnumerateArray())
            {
                var key = (operation.GetProperty("name").GetString() ?? "", route.GetProperty("verb").GetString() ?? "");
                served.TryAdd(key, []);
                served[key].Add(route.GetProperty("path").GetString() ?? "");
            }
        }

        return ContractReader.Read(json.GetProperty("contract"), served, prefix);
    }

    private static List<ServiceContract> Parse(string from, Func<List<ServiceContract>> read) => Read(from, read) is { Count: > 0 } services ? services : throw new InputException($"{from} has no services.");

    private static T Read<T>(string from, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception wrong) when (wrong is JsonException or KeyNotFoundException or InvalidOperationException or ArgumentException or FormatException)
        {
            throw new InputException($"{from} is no catalog that this version of weir reads: {wrong.Message}", wrong);
        }
    }
}
