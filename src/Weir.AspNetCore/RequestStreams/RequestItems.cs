using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>Opens the bodies of one operation's streamed requests. Immutable; used concurrently.</summary>
internal sealed class RequestItems(Operation operation, RequestSettings settings)
{
    private readonly string _parameter = operation.ItemsParameter!.Name;

    /// <summary>The items of a request; without them the problem of a body that must not be read.</summary>
    internal (HttpItemReader? Items, Problem? Problem) Open(HttpContext http)
    {
        ItemFraming? framing = BodyForms.Of(http.Request.ContentType) switch
        {
            BodyForm.Lines => new LineFraming(),
            _ when !RequestBody.MayExist(http) => new LineFraming(),
            BodyForm.Json => new ArrayFraming(),
            _ => null,
        };
        if (framing is null)
        {
            return (null, UnreadableBody.Unsupported(http.Request.ContentType, $"{MediaTypes.Ndjson}, or one array as {MediaTypes.Json}, in UTF-8"));
        }

        LiftLimits(http);
        var items = new HttpItemReader(http, new ItemSplitter(framing, _parameter, settings.ItemLimit), settings);
        if (http.Features.Get<IHttpRequestLifetimeFeature>() is { } lifetime)
        {
            http.Features.Set<IHttpRequestLifetimeFeature>(new StreamedRequestLifetime(lifetime, items));
        }

        return (items, null);
    }

    // They are meant for bodies that are held in memory, and for senders that have the whole body: here the limit of an item and the
    // timeout for a silent sender replace them.
    private static void LiftLimits(HttpContext http)
    {
        if (http.GetEndpoint()?.Metadata.GetMetadata<IRequestSizeLimitMetadata>() is null
            && http.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } size)
        {
            size.MaxRequestBodySize = null;
        }

        if (http.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = null;
        }
    }
}
