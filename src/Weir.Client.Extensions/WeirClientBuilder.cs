using Weir;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Passes on to the builder of the <see cref="HttpClient"/>.</summary>
/// <typeparam name="T">The contract.</typeparam>
/// <param name="http">That builder.</param>
/// <param name="options">How clients of the contract call; <c>null</c> for the defaults.</param>
internal sealed class WeirClientBuilder<T>(IHttpClientBuilder http, Action<WeirClientOptions>? options) : IWeirClientBuilder<T>
    where T : class
{
    public string Name => http.Name;

    public IServiceCollection Services => http.Services;

    internal WeirClientOptions Options()
    {
        var made = new WeirClientOptions();
        options?.Invoke(made);
        return made;
    }
}
