using Microsoft.Extensions.DependencyInjection;
using Weir.Http.FanOut;

namespace Weir;

/// <summary>Limits for all requests of an <see cref="HttpClient"/>, however they are sent.</summary>
public static class FanOutHttpClientBuilderExtensions
{
    /// <summary>
    /// Limits how many requests of the clients of this name are in flight, and delays requests to a host that answered with <c>Retry-After</c>. Requests beyond
    /// that wait, in order, until they are sent or cancelled; <see cref="HttpClient.Timeout"/> counts while they wait. A request is in flight until its response is read
    /// to the end or disposed.
    /// </summary>
    /// <param name="builder">The clients. Their limits are shared: all clients of a name, also after the factory renewed their handlers.</param>
    /// <param name="configure">Sets the limits; called once, here.</param>
    /// <remarks>Add it after handlers that retry or hedge: then each attempt counts, none passes a delay, and <see cref="FanOutResult.Attempts"/> is right.</remarks>
    /// <exception cref="ArgumentNullException">An argument is <c>null</c>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A limit is out of range.</exception>
    /// <exception cref="InvalidOperationException">These clients have limits already.</exception>
    public static IHttpClientBuilder AddFanOutLimits(this IHttpClientBuilder builder, Action<FanOutLimits> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        var limits = new FanOutLimits();
        configure(limits);
        if (builder.Services.Any(service => service.ServiceType == typeof(RequestLimiter) && Equals(service.ServiceKey, builder.Name)))
        {
            throw new InvalidOperationException($"AddFanOutLimits was called twice for the client '{builder.Name}'. Set all limits in one call.");
        }

        AttemptCounter.Use();
        builder.Services.AddKeyedSingleton(builder.Name, (_, _) => new RequestLimiter(limits));
        return builder.AddHttpMessageHandler(services => new FanOutLimitHandler(services.GetRequiredKeyedService<RequestLimiter>(builder.Name)));
    }
}
