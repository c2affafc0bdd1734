using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>Answers from the features alone: no context, no middleware, no routing table.</summary>
internal sealed class RawApplication : IHttpApplication<IFeatureCollection>
{
    public IFeatureCollection CreateContext(IFeatureCollection contextFeatures) => contextFeatures;

    public Task ProcessRequestAsync(IFeatureCollection context)
    {
        var request = context.Get<IHttpRequestFeature>()!;
        var response = context.Get<IHttpResponseBodyFeature>()!;
        switch (request.Path)
        {
            case "/perf/echo":
                return RawEcho.AnswerAsync(request.QueryString, context.Get<IHttpResponseFeature>()!, response);
            case "/weather/stream":
                return RawStreams.WeatherAsync(request.QueryString, response, context.Get<IHttpRequestLifetimeFeature>()!.RequestAborted);
            case "/guids/stream":
                return RawStreams.GuidsAsync(request.QueryString, response);
            case "/samples/array":
                return RawStreams.SamplesAsync(request.QueryString, response, context.Get<IHttpRequestLifetimeFeature>()!.RequestAborted);
            case "/samples/ndjson":
                return RawStreams.SampleLinesAsync(request.QueryString, response, context.Get<IHttpRequestLifetimeFeature>()!.RequestAborted);
            case "/samples/sse":
                return RawStreams.SampleEventsAsync(request.QueryString, response, context.Get<IHttpRequestLifetimeFeature>()!.RequestAborted);
            case "/writes":
                var query = request.QueryString;
                return LineWrites.WriteAsync(context, RawQuery.Int(query, "count"), RawQuery.Bool(query, "isLong"), RawQuery.Bool(query, "sync"), RawQuery.Bool(query, "buffered"));
            default:
                return RawReply.Send(context.Get<IHttpResponseFeature>()!, response, "text/plain; charset=utf-8", "Hello, world"u8);
        }
    }

    public void DisposeContext(IFeatureCollection context, Exception? exception)
    {
        if (exception is not null)
            Console.Error.WriteLine(exception.Message);
    }
}
