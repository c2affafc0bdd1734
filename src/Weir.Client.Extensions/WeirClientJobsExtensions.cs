using Weir;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers what submits jobs to a server.</summary>
public static class WeirClientJobsExtensions
{
    /// <summary>
    /// Registers <see cref="IJobs{T}"/> and <see cref="IRemoteJobs{T}"/> of the contract: code that takes either submits jobs to the server, over the same <see cref="HttpClient"/> and with the same options as the client. Transient.
    /// Belongs directly after <c>AddWeirClient</c>. Needs .NET 8 or later.
    /// </summary>
    /// <typeparam name="T">The contract.</typeparam>
    /// <param name="builder">What <c>AddWeirClient</c> returned.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentException"><paramref name="builder"/> is not of <c>AddWeirClient</c>.</exception>
    public static IWeirClientBuilder<T> AddJobs<T>(this IWeirClientBuilder<T> builder)
        where T : class
    {
        var client = builder as WeirClientBuilder<T> ?? throw new ArgumentException("AddJobs belongs to AddWeirClient: AddWeirClient<IReports>(…).AddJobs().", nameof(builder));
        builder.AddTypedClient(http => WeirClient.CreateJobs<T>(http, client.Options()));
        builder.Services.AddTransient<IJobs<T>>(static services => services.GetRequiredService<IRemoteJobs<T>>());
        return builder;
    }
}
