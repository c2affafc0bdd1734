#if NET
using Weir.Client.Jobs;
#endif
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
        options = Checked(http, options);
        return (T)Factory<T>()(new ServiceClient(http, options));
    }

#if NET
    /// <summary>
    /// Submits calls of a contract as jobs of the server, over HTTP: see <see cref="IRemoteJobs{T}"/>. It may be used concurrently, holds nothing that must be disposed, and lives as long as the
    /// <see cref="HttpClient"/>; so do the handles of its jobs. Needs .NET 8 or later.
    /// </summary>
    /// <typeparam name="T">An interface marked <see cref="ServiceAttribute"/>; anything else is a build error (WEIR3030).</typeparam>
    /// <param name="http">As for <see cref="Create"/>. <see cref="HttpClient.Timeout"/> should be longer than 5 seconds: a request waits on the server for as long as it allows, up to 60 seconds.</param>
    /// <param name="options">What differs from the defaults; <c>null</c> for nothing. Not to be changed afterwards.</param>
    /// <exception cref="InvalidOperationException">There is no client of <typeparamref name="T"/> (WEIR3030), or <paramref name="http"/> has no base address.</exception>
    public static IRemoteJobs<T> CreateJobs<T>(HttpClient http, WeirClientOptions? options = null)
        where T : class
    {
        options = Checked(http, options);
        var recorder = new CallRecorder();
        return new RemoteJobs<T>((T)Factory<T>()(new ServiceClient(http, options, recorder)), recorder, new ServiceClient(http, options), new ServiceClient(http, options.WithoutDeadline()), options.JobsPath.TrimEnd('/'));
    }
#endif

    private static WeirClientOptions Checked(HttpClient http, WeirClientOptions? options)
    {
        if (http is null)
        {
            throw new ArgumentNullException(nameof(http));
        }

        options ??= new WeirClientOptions();
        options.Check();
        return options;
    }

    private static Func<ServiceClient, object> Factory<T>() => ServiceClients.Find(typeof(T)) ?? throw new InvalidOperationException(
        $"There is no client of {typeof(T)}: only an interface marked [Service] that is served over HTTP has one, in a C# project that references Weir.Client and names the interface; no other language runs the generator that writes it. See {WeirCodes.ClientMissing}.");
}
