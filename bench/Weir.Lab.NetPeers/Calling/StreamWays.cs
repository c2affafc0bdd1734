using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.Calling;

/// <summary>The ways to read a stream of small objects on .NET.</summary>
internal static class StreamWays
{
    public static IAsyncEnumerable<Sample> All(string name, HttpClient http, int count) => name == "weir"
        ? WeirClient.Create<ICalledSamples>(http).All(count, 0)
        : Read(name, http, string.Create(CultureInfo.InvariantCulture, $"/samples/All?count={count}&ms=0"), CallingJson.Default.Sample, CallingJson.Default.ListSample);

    public static IAsyncEnumerable<SentSample> Sent(string name, HttpClient http, int count, int delay) => name == "weir"
        ? WeirClient.Create<ICalledSamples>(http).Sent(count, delay)
        : Read(name, http, string.Create(CultureInfo.InvariantCulture, $"/samples/Sent?count={count}&delay={delay}"), CallingJson.Default.SentSample, CallingJson.Default.ListSentSample);

    private static IAsyncEnumerable<T> Read<T>(string name, HttpClient http, string path, JsonTypeInfo<T> item, JsonTypeInfo<List<T>> all) => name switch
    {
        "array" => (IAsyncEnumerable<T>)http.GetFromJsonAsAsyncEnumerable(path, item),
        "lines" => LinesAsync(http, path, item),
        "whole" => WholeAsync(http, path, all),
        _ => throw new ArgumentException($"There is no way '{name}' to read a stream."),
    };

    private static async IAsyncEnumerable<T> LinesAsync<T>(HttpClient http, string path, JsonTypeInfo<T> item)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path) { Headers = { { "Accept", "application/x-ndjson" } } };
        using var response = await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        response.EnsureSuccessStatusCode();
        await using var body = await response.Content.ReadAsStreamAsync();
        await foreach (var value in JsonSerializer.DeserializeAsyncEnumerable(body, item, topLevelValues: true))
            yield return value!;
    }

    // Read, then parse.
    private static async IAsyncEnumerable<T> WholeAsync<T>(HttpClient http, string path, JsonTypeInfo<List<T>> all)
    {
        var text = await http.GetByteArrayAsync(path);
        foreach (var value in JsonSerializer.Deserialize(text, all)!)
            yield return value;
    }
}
