using System.Buffers;
using System.Text.Unicode;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Binding;

/// <summary>Passes a request's body to one operation's binder, in the form the operation reads. Immutable.</summary>
internal sealed class RequestBinder
{
    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    private readonly string? _raw;
    private readonly bool _isRawOptional;
    private readonly string? _wholeJson;
    private readonly bool _isForm;
    private readonly bool _takesStream;

    internal RequestBinder(Operation operation)
    {
        var raw = operation.Parameters.FirstOrDefault(static parameter => parameter.Source == ParameterSource.Raw);
        _raw = raw?.Name;
        _isRawOptional = raw is { IsOptional: true };
        _isForm = operation.Parameters.Any(static parameter => parameter.Source is ParameterSource.Form or ParameterSource.File);
        _takesStream = operation.Parameters.Any(static parameter => parameter.Source == ParameterSource.Stream);
        _wholeJson = operation.Parameters.FirstOrDefault(static parameter => parameter.Source == ParameterSource.Body)?.Name;
    }

    /// <summary>Reads the body and adds it to the arguments; returns the problem of a body that must not be read.</summary>
    /// <exception cref="BadHttpRequestException">The body is larger than the server's limit, or cut off.</exception>
    internal async ValueTask<Problem?> ReadAsync(HttpRequest request, CallBuffers buffers)
    {
        var form = BodyForms.Of(request.ContentType);
        if (_takesStream && form != BodyForm.Multipart)
        {
            return null;
        }

        if (_isForm && form == BodyForm.Multipart)
        {
            // The server's own reader: files of more than 64 KB wait on the disk, within the application's FormOptions.
            buffers.Arguments.AttachForm(await request.ReadFormAsync(request.HttpContext.RequestAborted));
            return null;
        }

        if (_raw is null && form == BodyForm.Form && request.HttpContext.Features.Get<IFormFeature>() is { Form: { } known } && Reads(form))
        {
            // A middleware has read the form already: the one for antiforgery, for its token.
            buffers.Arguments.AttachForm(known);
            return null;
        }

        if (!Reads(form))
        {
            return await RequestBody.IsEmptyAsync(request) ? null : Unsupported(request.ContentType);
        }

        await RequestBody.ReadAsync(request, buffers.Body);
        if (_raw is null && buffers.Body.Length > 0)
        {
            Add(form, buffers);
        }

        return null;
    }

    /// <summary>Adds the body unread, if the operation reads it itself.</summary>
    internal void AttachBody(HttpRequest request, CallBuffers buffers)
    {
        if (_takesStream)
        {
            buffers.Arguments.AttachBody(request);
        }
    }

    /// <summary>
    /// Adds the raw body, if the operation takes one; an empty one too. Where bytes may be absent, they are absent when the request has
    /// neither a byte nor a content type; with a content type they are empty.
    /// </summary>
    internal void AddRaw(HttpRequest request, CallBuffers buffers)
    {
        if (_raw is not null && !(_isRawOptional && buffers.Body.Length == 0 && string.IsNullOrEmpty(request.ContentType)))
        {
            buffers.Arguments.AddRaw(_raw, buffers.LendBody());
        }
    }

    // The parts of a multipart body are not the bytes that its sender means.
    private bool Reads(BodyForm form) => (_raw is not null && form != BodyForm.Multipart) || (_raw is null && !_takesStream && ((form == BodyForm.Json && !_isForm) || (form == BodyForm.Form && _wholeJson is null)));

    private void Add(BodyForm form, CallBuffers buffers)
    {
        var body = buffers.Body.WrittenMemory;
        if (form == BodyForm.Form)
        {
            AddForm(body.Span, buffers);
            return;
        }

        if (body.Span.StartsWith(ByteOrderMark))
        {
            body = body[ByteOrderMark.Length..];
        }

        if (!Utf8.IsValid(body.Span))
        {
            buffers.Arguments.AddBrokenBody("body", "JSON in UTF-8");
        }
        else if (_wholeJson is not null)
        {
            buffers.Arguments.AddWholeJson(_wholeJson, body.Trim(" \t\r\n"u8));
        }
        else
        {
            buffers.Arguments.AddJson(body);
        }
    }

    private static void AddForm(ReadOnlySpan<byte> body, CallBuffers buffers)
    {
        var text = buffers.ReserveForm(body.Length);
        if (Utf8.ToUtf16(body, text, out _, out var length, replaceInvalidSequences: false) == OperationStatus.Done)
        {
            buffers.Arguments.AddForm(buffers.Form(length));
        }
        else
        {
            buffers.Arguments.AddBrokenBody("form", "pairs in UTF-8, percent-encoded");
        }
    }

    private Problem Unsupported(string? contentType)
    {
        var wanted = _raw is not null ? $"only the bytes of '{_raw}', as {MediaTypes.OctetStream} or any other type but {MediaTypes.Multipart}, and the other arguments in the query"
            : _takesStream ? $"bytes, as {MediaTypes.OctetStream} or any other type but {MediaTypes.Multipart}"
            : _isForm ? $"{MediaTypes.Multipart} or {MediaTypes.Form}"
            : _wholeJson is null ? $"{MediaTypes.Json} in UTF-8 or {MediaTypes.Form}" : $"{MediaTypes.Json} in UTF-8";
        return UnreadableBody.Unsupported(contentType, wanted);
    }
}
