using System.Diagnostics.CodeAnalysis;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Net.Http.Headers;
using Weir.AspNetCore.Files;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// The files of a multipart form, parsed while it arrives: for each a descriptor, then its bytes in pieces. The fields come first, and are read before the call
/// begins. Nothing is kept of a file: what the operation does not read in time stays with the sender. Of one request; not for concurrent use.
/// </summary>
/// <param name="form">The parts of the form.</param>
/// <param name="limits">The application's, for forms.</param>
/// <param name="operation">The operation.</param>
/// <param name="refuseUnknown">Whether a field that no parameter asks for is a binding error.</param>
[SuppressMessage("Design", "CA1001", Justification = "The buffer is left to the collector: code of an abandoned call may still read it.")]
internal sealed class FormItems(MultipartReader form, FormOptions limits, Operation operation, bool refuseUnknown) : ItemReader
{
    /// <summary>How much is read of the form at once.</summary>
    internal const int BufferSize = 32 * 1024;

    private readonly Parameter _parameter = operation.ContentParameter!;
    private readonly bool _isList = TakesSeveral(operation.ContentParameter!);
    private readonly PayloadWriter _descriptor = new();
    private readonly byte[] _piece = GC.AllocateUninitializedArray<byte>(ContentItems.PieceSize);
    private int _length;

    // The file that comes next, then the one whose content is read.
    private FileMultipartSection? _next;
    private FileMultipartSection? _file;
    private bool _hasFile;
    private bool _hasEnded;

    public override string Source => "form";

    public override ReadOnlyMemory<byte> Current => _file is null ? _descriptor.WrittenMemory : _piece.AsMemory(0, _length);

    public override ResultEncoding CurrentEncoding => _file is null ? ResultEncoding.Json : ResultEncoding.Raw;

    /// <summary>Whether a parameter takes several files.</summary>
    internal static bool TakesSeveral(Parameter parameter) => parameter.Type?.Invoke() != typeof(IFormFile);

    /// <summary>The parts of a request's form.</summary>
    /// <param name="contentType">Of the request.</param>
    /// <param name="body">The request's body, as it arrives.</param>
    /// <param name="limits">The application's, for forms.</param>
    /// <exception cref="InvalidDataException">It has no boundary, or one that is too long.</exception>
    internal static MultipartReader Open(string? contentType, Stream body, FormOptions limits)
    {
        var boundary = MediaTypeHeaderValue.TryParse(contentType, out var type) ? HeaderUtilities.RemoveQuotes(type.Boundary).ToString() : "";
        if (boundary.Length == 0 || boundary.Length > limits.MultipartBoundaryLengthLimit)
        {
            throw new InvalidDataException(boundary.Length == 0 ? "Its Content-Type has no boundary." : $"Its boundary has more than {limits.MultipartBoundaryLengthLimit} characters.");
        }

        return new MultipartReader(boundary, body, Math.Max(BufferSize, boundary.Length + 16))
        {
            HeadersCountLimit = limits.MultipartHeadersCountLimit,
            HeadersLengthLimit = limits.MultipartHeadersLengthLimit,
            BodyLengthLimit = limits.MultipartBodyLengthLimit,
        };
    }

    /// <summary>Reads the fields before the first file, or all where there is none.</summary>
    /// <param name="cancellationToken">Cancels the waiting.</param>
    /// <exception cref="InvalidDataException">They are more or longer than the limits allow.</exception>
    /// <exception cref="IOException">The form is not complete.</exception>
    internal async ValueTask<IFormCollection> ReadFieldsAsync(CancellationToken cancellationToken)
    {
        var fields = default(KeyValueAccumulator);
        var left = limits.BufferBodyLengthLimit;
        while (_next is null && await form.ReadNextSectionAsync(cancellationToken) is { } section)
        {
            if (Disposition(section) is not { } disposition)
            {
                continue;
            }

            if (disposition.IsFileDisposition())
            {
                _next = new FileMultipartSection(section, disposition);
                break;
            }

            var name = HeaderUtilities.RemoveQuotes(disposition.Name).ToString();
            if (name.Length > limits.KeyLengthLimit)
            {
                throw new InvalidDataException($"The name of a field has more than {limits.KeyLengthLimit} characters.");
            }

            var value = await ReadAsync(section, Math.Min(limits.ValueLengthLimit, left), cancellationToken);
            left -= value.Length;
            if (IsEmptyFile(name, disposition, value))
            {
                continue;
            }

            fields.Append(name, Text(section, value));
            if (fields.ValueCount > limits.ValueCountLimit)
            {
                throw new InvalidDataException($"The form has more than {limits.ValueCountLimit} fields.");
            }
        }

        _hasEnded = _next is null;
        return new FormCollection(fields.GetResults());
    }

    public override async ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await ReadNextAsync(cancellationToken);
        }
        catch (Exception error) when (error is not BadHttpRequestException && UnreadableBody.IsMalformed(error))
        {
            throw new BindingException([new BindingError(_parameter.WireName, "form", BindingErrorReason.Malformed, $"a complete multipart form, within the server's FormOptions ({error.Message.TrimEnd('.')})")]);
        }
    }

    private async ValueTask<bool> ReadNextAsync(CancellationToken cancellationToken)
    {
        // 1. The rest of the current file.
        if (_file is { FileStream: { } content })
        {
            _length = await content.ReadAsync(_piece, cancellationToken);
            if (_length > 0)
            {
                return true;
            }

            _file = null;
        }
        else if (_hasFile)
        {
            // 2. Its descriptor was the item before.
            _hasFile = false;
            _file = _next;
            _next = null;
            return await ReadNextAsync(cancellationToken);
        }

        // 3. The next file of the name.
        while (await NextAsync(cancellationToken) is { } next)
        {
            if (!next.Name.Equals(_parameter.WireName, StringComparison.OrdinalIgnoreCase))
            {
                _next = null;
                continue;
            }

            if (!_isList && _descriptor.Length > 0)
            {
                throw ReceivedFiles.Second(_parameter.WireName);
            }

            _descriptor.Clear();
            Describe(next).Write(_descriptor);
            (_next, _hasFile) = (next, true);
            return true;
        }

        return false;
    }

    private async ValueTask<FileMultipartSection?> NextAsync(CancellationToken cancellationToken)
    {
        while (_next is null && !_hasEnded)
        {
            if (await form.ReadNextSectionAsync(cancellationToken) is not { } section)
            {
                _hasEnded = true;
            }
            else if (Disposition(section) is { } disposition)
            {
                if (disposition.IsFileDisposition())
                {
                    _next = new FileMultipartSection(section, disposition);
                }
                else
                {
                    CheckLateField(HeaderUtilities.RemoveQuotes(disposition.Name).ToString(), disposition);
                }
            }
        }

        return _next;
    }

    // The call has begun with its arguments.
    private void CheckLateField(string name, ContentDispositionHeaderValue disposition)
    {
        if (disposition.FileName.HasValue && name.Equals(_parameter.WireName, StringComparison.OrdinalIgnoreCase))
        {
            // A browser sends this for a file that its user did not choose.
            return;
        }

        var isArgument = operation.Parameters.Any(one => one.Source is ParameterSource.Value or ParameterSource.Form && one.WireName.Equals(name, StringComparison.OrdinalIgnoreCase));
        if (isArgument || refuseUnknown)
        {
            throw new BindingException([isArgument
                ? new BindingError(name, "form", BindingErrorReason.Malformed, "its field before the files: send the fields of a form before its files")
                : new BindingError(name, "form", BindingErrorReason.Unknown, "no argument of this name")]);
        }
    }

    private bool IsEmptyFile(string name, ContentDispositionHeaderValue disposition, byte[] value) =>
        disposition.FileName.HasValue && value.Length == 0 && name.Equals(_parameter.WireName, StringComparison.OrdinalIgnoreCase);

    private static ContentDispositionHeaderValue? Disposition(MultipartSection section) =>
        ContentDispositionHeaderValue.TryParse(section.ContentDisposition, out var disposition) && (disposition.IsFileDisposition() || disposition.IsFormDisposition()) ? disposition : null;

    private static FileDescriptor Describe(FileMultipartSection file) => new(file.Name, file.FileName, file.Section.ContentType, Length: null)
    {
        Headers = [.. (file.Section.Headers ?? []).Select(static one => new KeyValuePair<string, string>(one.Key, string.Join(", ", one.Value.ToArray())))],
    };

    private static async ValueTask<byte[]> ReadAsync(MultipartSection section, long most, CancellationToken cancellationToken)
    {
        var piece = new byte[4096];
        using var value = new MemoryStream();
        for (int read; (read = await section.Body.ReadAsync(piece, cancellationToken)) > 0;)
        {
            if (value.Length + read > most)
            {
                throw new InvalidDataException($"A field of the form has more than {most} bytes.");
            }

            value.Write(piece, 0, read);
        }

        return value.ToArray();
    }

    private static string Text(MultipartSection section, byte[] value)
    {
        var encoding = MediaTypeHeaderValue.TryParse(section.ContentType, out var type) && type.Encoding is { } stated && stated.CodePage != 65000 ? stated : Encoding.UTF8;
        using var reader = new StreamReader(new MemoryStream(value), encoding, detectEncodingFromByteOrderMarks: true);
        return reader.ReadToEnd();
    }
}
