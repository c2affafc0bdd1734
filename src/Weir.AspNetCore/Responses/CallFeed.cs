using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>The items of a call that runs for one response and ends with it.</summary>
/// <param name="shared">What all endpoints share.</param>
/// <param name="call">Its arguments are bound.</param>
/// <param name="from">The argument that is the index of the first item; <c>null</c> where the operation always begins with the first.</param>
/// <param name="limit">How long the caller waits.</param>
/// <param name="recording">What is recorded of the request.</param>
internal sealed class CallFeed(EndpointServices shared, StreamCall call, FromArgument? from, TimeSpan? limit, CallRecording? recording) : StreamFeed
{
    internal override StreamCall Call => call;

    internal override Func<long>? First => from is null ? null : () => from.Read(call);

    internal override bool CanContinue => from is not null;

    internal override bool CanMove => from is not null;

    internal override ValueTask SendAsync(HttpContext http, ResponseStream stream)
    {
        var services = EndpointServices.MayNeedNoServices(call.Operation) ? new RequestServices().Attach(http) : http.RequestServices;
        return shared.Pipeline.RunStreamAsync(call, stream, EndpointServices.Request(http, services, ResultEncoding.Json, limit, recording));
    }

    internal override ValueTask<bool> IsAbsentAsync(HttpContext http, ResponseStream stream) =>
        stream.IsAbsentAsync(isAnswered: call.Context?.StatusCode is not null || http.Response.HasStarted);
}
