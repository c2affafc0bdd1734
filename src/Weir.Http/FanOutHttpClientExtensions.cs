using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Weir.Http.FanOut;

namespace Weir;

/// <summary>Many requests at once over one <see cref="HttpClient"/>.</summary>
/// <remarks>
/// Nothing is read or sent before the enumeration begins. Requests are read one at a time, on the thread pool, only as fast as results are taken: an
/// endless input takes memory in the order of <see cref="FanOutLimits.MaxConcurrency"/>. A request that fails is a result, and does not affect
/// the others; a Retry-After header delays further requests to its host (<see cref="FanOutLimits.MaxRetryAfter"/>). The enumeration throws only if its token is cancelled, or if the input itself throws, and then after the results of the requests before
/// that. From a concurrency of 16 on, the code that enumerates may continue on the thread on which a request ended, whose next request is sent when that code
/// waits again: code that blocks delays one request, and must not block on further results of the same enumeration. When it ends early, requests in flight are cancelled, and responses that were not taken are disposed. Each enumeration is a fan-out of its own.
/// </remarks>
public static class FanOutHttpClientExtensions
{
    private const string ReflectsJson = "JSON is read by reflection, which may need members that are trimmed or code that is made at run time; pass a JsonTypeInfo<T> of a JsonSerializerContext instead.";

    private static JsonSerializerOptions Web { get; } = new(JsonSerializerDefaults.Web);

    /// <summary>Sends the requests and returns their responses, each with its body in memory.</summary>
    /// <param name="client">Sends them; its <see cref="HttpClient.Timeout"/> counts for each request from when it is sent.</param>
    /// <param name="requests">The requests; each is sent once and not disposed.</param>
    /// <param name="options">Bounds and order; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration and cancels all requests.</param>
    /// <exception cref="ArgumentNullException"><paramref name="client"/> or <paramref name="requests"/> is <c>null</c>.</exception>
    public static IAsyncEnumerable<FanOutResult> SendAllAsync(
        this HttpClient client, IEnumerable<HttpRequestMessage> requests, FanOutOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requests);
        return SendAllAsync(client, Items.Of(requests), options, cancellationToken);
    }

    /// <inheritdoc cref="SendAllAsync(HttpClient, IEnumerable{HttpRequestMessage}, FanOutOptions?, CancellationToken)"/>
    public static IAsyncEnumerable<FanOutResult> SendAllAsync(
        this HttpClient client, IAsyncEnumerable<HttpRequestMessage> requests, FanOutOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(requests);
        return new FanOutEnumerable<HttpResponseMessage, FanOutResult>(requests, options ?? new FanOutOptions(), new ResponseExchange(client), cancellationToken);
    }

    /// <summary>Sends a GET request to each address and returns the responses, each with its body in memory.</summary>
    /// <param name="client">Sends them; relative addresses are relative to its <see cref="HttpClient.BaseAddress"/>.</param>
    /// <param name="addresses">The addresses.</param>
    /// <param name="options">Bounds and order; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration and cancels all requests.</param>
    /// <exception cref="ArgumentNullException"><paramref name="client"/> or <paramref name="addresses"/> is <c>null</c>.</exception>
    public static IAsyncEnumerable<FanOutResult> SendAllAsync(
        this HttpClient client, IEnumerable<Uri> addresses, FanOutOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        return SendAllAsync(client, Items.Requests(Items.Of(addresses)), options, cancellationToken);
    }

    /// <inheritdoc cref="SendAllAsync(HttpClient, IEnumerable{Uri}, FanOutOptions?, CancellationToken)"/>
    public static IAsyncEnumerable<FanOutResult> SendAllAsync(
        this HttpClient client, IAsyncEnumerable<Uri> addresses, FanOutOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        return SendAllAsync(client, Items.Requests(addresses), options, cancellationToken);
    }

    /// <summary>Sends the requests and reads each response with a function, before its body is in memory.</summary>
    /// <typeparam name="T">What the function returns.</typeparam>
    /// <param name="client">Sends them; its <see cref="HttpClient.Timeout"/> counts for each request until its response is read, which may take 1/64 of that time longer.</param>
    /// <param name="requests">The requests; each is sent once and not disposed.</param>
    /// <param name="read">
    /// Reads one response, with any status; up to <see cref="FanOutLimits.MaxConcurrency"/> run at the same time. What it throws is the result of its request only. The
    /// response is disposed when it returns. The token fires when the enumeration ends or the time is over.
    /// </param>
    /// <param name="options">Bounds and order; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration and cancels all requests.</param>
    /// <exception cref="ArgumentNullException">An argument without a default is <c>null</c>.</exception>
    public static IAsyncEnumerable<FanOutResult<T>> SendAllAsync<T>(
        this HttpClient client,
        IAsyncEnumerable<HttpRequestMessage> requests,
        Func<HttpResponseMessage, CancellationToken, ValueTask<T>> read,
        FanOutOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(requests);
        ArgumentNullException.ThrowIfNull(read);
        return new FanOutEnumerable<T, FanOutResult<T>>(requests, options ?? new FanOutOptions(), new ReadingExchange<T>(client, read), cancellationToken);
    }

    /// <inheritdoc cref="SendAllAsync{T}(HttpClient, IAsyncEnumerable{HttpRequestMessage}, Func{HttpResponseMessage, CancellationToken, ValueTask{T}}, FanOutOptions?, CancellationToken)"/>
    public static IAsyncEnumerable<FanOutResult<T>> SendAllAsync<T>(
        this HttpClient client,
        IEnumerable<HttpRequestMessage> requests,
        Func<HttpResponseMessage, CancellationToken, ValueTask<T>> read,
        FanOutOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(requests);
        return SendAllAsync(client, Items.Of(requests), read, options, cancellationToken);
    }

    /// <summary>Sends a GET request to each address and reads each response as JSON. A status that is not a success is an exception of its result.</summary>
    /// <typeparam name="T">The type of the JSON values.</typeparam>
    /// <param name="client">Sends them; relative addresses are relative to its <see cref="HttpClient.BaseAddress"/>.</param>
    /// <param name="addresses">The addresses.</param>
    /// <param name="type">How to read the value, from a <c>JsonSerializerContext</c>.</param>
    /// <param name="options">Bounds and order; <c>null</c> for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration and cancels all requests.</param>
    /// <exception cref="ArgumentNullException">An argument without a default is <c>null</c>.</exception>
    public static IAsyncEnumerable<FanOutResult<T?>> GetAllAsync<T>(
        this HttpClient client, IAsyncEnumerable<Uri> addresses, JsonTypeInfo<T> type, FanOutOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        ArgumentNullException.ThrowIfNull(type);
        return SendAllAsync<T?>(client, Items.Requests(addresses), ReadJsonAsync, options, cancellationToken);

        async ValueTask<T?> ReadJsonAsync(HttpResponseMessage response, CancellationToken token)
        {
            var body = await response.EnsureSuccessStatusCode().Content.ReadAsStreamAsync(token).ConfigureAwait(false);
            return await JsonSerializer.DeserializeAsync(body, type, token).ConfigureAwait(false);
        }
    }

    /// <inheritdoc cref="GetAllAsync{T}(HttpClient, IAsyncEnumerable{Uri}, JsonTypeInfo{T}, FanOutOptions?, CancellationToken)"/>
    public static IAsyncEnumerable<FanOutResult<T?>> GetAllAsync<T>(
        this HttpClient client, IEnumerable<Uri> addresses, JsonTypeInfo<T> type, FanOutOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        return GetAllAsync(client, Items.Of(addresses), type, options, cancellationToken);
    }

    /// <summary>
    /// Sends a GET request to each address and reads each response as JSON, by reflection: names of members in any case, as <c>GetFromJsonAsync</c> does it. A status that is not
    /// a success is an exception of its result.
    /// </summary>
    /// <typeparam name="T">The type of the JSON values.</typeparam>
    /// <param name="client">Sends them; relative addresses are relative to its <see cref="HttpClient.BaseAddress"/>.</param>
    /// <param name="addresses">The addresses.</param>
    /// <param name="options">Bounds and order; <c>null</c> for the defaults.</param>
    /// <param name="serializerOptions">How JSON is read; <c>null</c> for <see cref="JsonSerializerDefaults.Web"/>. They cannot be changed afterwards.</param>
    /// <param name="cancellationToken">Ends the enumeration and cancels all requests.</param>
    /// <exception cref="ArgumentNullException"><paramref name="client"/> or <paramref name="addresses"/> is <c>null</c>.</exception>
    /// <exception cref="NotSupportedException">The type cannot be read.</exception>
    [RequiresUnreferencedCode(ReflectsJson)]
    [RequiresDynamicCode(ReflectsJson)]
    public static IAsyncEnumerable<FanOutResult<T?>> GetAllAsync<T>(
        this HttpClient client, IAsyncEnumerable<Uri> addresses, FanOutOptions? options = null, JsonSerializerOptions? serializerOptions = null, CancellationToken cancellationToken = default)
    {
        var json = serializerOptions ?? Web;
        json.MakeReadOnly(populateMissingResolver: true);
        return GetAllAsync(client, addresses, (JsonTypeInfo<T>)json.GetTypeInfo(typeof(T)), options, cancellationToken);
    }

    /// <inheritdoc cref="GetAllAsync{T}(HttpClient, IAsyncEnumerable{Uri}, FanOutOptions?, JsonSerializerOptions?, CancellationToken)"/>
    [RequiresUnreferencedCode(ReflectsJson)]
    [RequiresDynamicCode(ReflectsJson)]
    public static IAsyncEnumerable<FanOutResult<T?>> GetAllAsync<T>(
        this HttpClient client, IEnumerable<Uri> addresses, FanOutOptions? options = null, JsonSerializerOptions? serializerOptions = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        return GetAllAsync<T>(client, Items.Of(addresses), options, serializerOptions, cancellationToken);
    }
}
