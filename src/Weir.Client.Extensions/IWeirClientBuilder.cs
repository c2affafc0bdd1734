namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Builds the client of a contract: the builder of its named <see cref="HttpClient"/>, that also knows the contract.</summary>
/// <typeparam name="T">The contract.</typeparam>
public interface IWeirClientBuilder<T> : IHttpClientBuilder
    where T : class;
