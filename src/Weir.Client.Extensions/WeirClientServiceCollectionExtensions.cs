using Weir;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers clients of Weir services.</summary>
public static class WeirClientServiceCollectionExtensions
{
    /// <summary>
    /// Registers the client of a contract: code that takes <typeparamref name="T"/> calls the service over HTTP. It is transient and cheap, over an
    /// <see cref="HttpClient"/> of <c>IHttpClientFactory</c> with the name of the interface, so handlers for tokens, resilience and logging are added to the result.
    /// </summary>
    /// <typeparam name="T">An interface marked <see cref="ServiceAttribute"/>; anything else is a build error (WEIR3030).</typeparam>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets <see cref="HttpClient.BaseAddress"/>, which every client needs, and what else the client should have.</param>
    /// <param name="options">How it calls; <c>null</c> for the defaults. Called for each client that is made.</param>
    /// <returns>The builder of the named <see cref="HttpClient"/>; <c>AddJobs</c> of it registers what submits jobs.</returns>
    public static IWeirClientBuilder<T> AddWeirClient<T>(this IServiceCollection services, Action<HttpClient> configure, Action<WeirClientOptions>? options = null)
        where T : class
    {
        if (configure is null)
        {
            throw new ArgumentNullException(nameof(configure));
        }

        var http = services.AddHttpClient(typeof(T).FullName ?? typeof(T).Name, configure);
        var builder = new WeirClientBuilder<T>(http, options);
        http.AddTypedClient(client => WeirClient.Create<T>(client, builder.Options()));
        return builder;
    }
}
