using Weir.Runtime;

namespace Weir;

/// <summary>Makes clients: objects that implement a contract and call the service over HTTP.</summary>
public static class WeirClient
{
    /// <summary>
    /// A client of a contract. It may be used concurrently, holds nothing that must be disposed, and lives as long as the
    /// <see cref="HttpClient"/>, whose handlers, default headers and timeout apply to every call.
    /// </summary>
    /// <typeparam name="T">An interface marked <see cref="ServiceAttribute"/>; anything else is a build error (WEIR3030).</typeparam>
    /// <param name="http">Its <see cref="HttpClient.BaseAddress"/> is where the services are, with the prefix of <c>MapWeir</c> if that has one. Not disposed.</param>
    /// <param name="options">What differs from the defaults; <c>null</c> for nothing. Not to be changed afterwards.</param>
    /// <exception cref="InvalidOperationException">There is no client of <typeparamref name="T"/> (WEIR3030), or <paramref name="http"/> has no base address.</exception>
    public static T Create<T>(HttpClient http, WeirClientOptions? options = null)
        where T : class
    {
        if (http is null)
        {
            throw new ArgumentNullException(nameof(http));
        }

        options ??= new WeirClientOptions();
        options.Check();
        var create = ServiceClients.Find(typeof(T)) ?? throw new InvalidOperationException(
            $"There is no client of {typeof(T)}: only an interface marked [Service] that is served over HTTP has one, in a C# project that references Weir.Client and names the interface; no other language runs the generator that writes it. See {WeirCodes.ClientMissing}.");
        return (T)create(new ServiceClient(http, options));
    }
}
