using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.RequestStreams;
using Weir.AspNetCore.Responses;
using Weir.Runtime;

namespace Weir.AspNetCore.Endpoints;

/// <summary>Opens the bodies of one isolated operation's requests whose content its worker reads while it arrives. Immutable; used concurrently.</summary>
/// <param name="operation">The operation.</param>
/// <param name="binder">Reads bodies that have no content.</param>
/// <param name="settings">The limits.</param>
internal sealed class RequestContent(Operation operation, RequestBinder binder, RequestSettings settings)
{
    private readonly Parameter _parameter = operation.ContentParameter!;

    /// <summary>
    /// Gives a request its content; of a form the fields before the first file become arguments. Returns the problem of a body that must not be read. What the request
    /// then reads of its body is to be disposed, whatever the outcome.
    /// </summary>
    /// <exception cref="BadHttpRequestException">The body is larger than the server's limit, or cut off.</exception>
    /// <exception cref="InvalidDataException">The form is not one, or exceeds a limit.</exception>
    internal async ValueTask<Problem?> OpenAsync(OperationRequest request)
    {
        var http = request.Http;
        var form = BodyForms.Of(http.Request.ContentType);
        if (_parameter.Source == ParameterSource.File)
        {
            request.Content = NoItems.Instance;
            return !RequestBody.MayExist(http) ? null
                : form == BodyForm.Multipart ? await OpenFormAsync(request)
                : await binder.ReadAsync(http.Request, request.Buffers);
        }

        if (form == BodyForm.Multipart && !await RequestBody.IsEmptyAsync(http.Request))
        {
            return UnreadableBody.Unsupported(http.Request.ContentType, $"bytes, as {MediaTypes.OctetStream} or any other type but {MediaTypes.Multipart}");
        }

        request.Content = request.Items = Open(http);
        return null;
    }

    private async ValueTask<Problem?> OpenFormAsync(OperationRequest request)
    {
        var (http, arguments) = (request.Http, request.Buffers.Arguments);
        if (http.Features.Get<IFormFeature>() is { Form: { } known })
        {
            // Other code of the application has read the form already.
            arguments.AttachForm(known);
            var files = known.Files.GetFiles(_parameter.WireName);
            request.Content = files.Count > 1 && !FormItems.TakesSeveral(_parameter)
                ? throw new BindingException([new BindingError(_parameter.WireName, "form", BindingErrorReason.Duplicate, "one file")])
                : new SourceItems(FormFiles.Send(files, http.RequestAborted));
            return null;
        }

        var limits = http.RequestServices.GetService<IOptions<FormOptions>>()?.Value ?? new FormOptions();
        request.Items = Open(http);
        var parts = new FormItems(FormItems.Open(http.Request.ContentType, ContentItems.ReceiveStream(request.Items), limits), limits, operation, settings.RefuseUnknown);
        request.Content = parts;
        arguments.AttachForm(await parts.ReadFieldsAsync(http.RequestAborted));
        return null;
    }

    // The server's limits for the size and the rate of a body hold, unlike those for items, which have limits of their own.
    private HttpItemReader Open(HttpContext http)
    {
        var items = new HttpItemReader(http, new PieceSplitter(_parameter.WireName), settings);
        if (http.Features.Get<IHttpRequestLifetimeFeature>() is { } lifetime)
        {
            http.Features.Set<IHttpRequestLifetimeFeature>(new StreamedRequestLifetime(lifetime, items));
        }

        return items;
    }
}
