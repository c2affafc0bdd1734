using System.Net.Http.Headers;

namespace Weir.Client.Requests;

/// <summary>A file of a multipart form.</summary>
internal sealed class SentFile(string name, string fileName, string? mediaType, Stream content)
{
    /// <summary>A form of files and values.</summary>
    internal static MultipartFormDataContent Form(List<SentFile> files, List<KeyValuePair<string, string>>? fields)
    {
        var form = new MultipartFormDataContent();
        foreach (var field in fields ?? [])
        {
            var value = new StringContent(field.Value);
            value.Headers.ContentType = null;
            form.Add(value, Quoted(field.Key));
        }

        foreach (var file in files)
        {
            form.Add(file.Content());
        }

        return form;
    }

    /// <summary>Why a form does not hold what is said of a file as it is; <c>null</c> where it does.</summary>
    internal static string? Refusal(string name, string fileName, string? mediaType)
    {
        for (var at = 0; at < fileName?.Length; at++)
        {
            if (char.IsSurrogate(fileName[at]) && !char.IsSurrogatePair(fileName, at++))
            {
                return "its file name has half of a character (a lone surrogate)";
            }
        }

        return string.IsNullOrWhiteSpace(fileName) ? "it has no file name"
            : FieldRefusal(name) ?? (string.IsNullOrEmpty(mediaType) || MediaTypeHeaderValue.TryParse(mediaType, out _) ? null : $"'{mediaType}' is no media type");
    }

    /// <summary>Why a form does not hold the name of a field as it is; <c>null</c> where it does.</summary>
    internal static string? FieldRefusal(string name) =>
        name.Any(static one => one is '"' or '\\' || char.IsControl(one)) ? $"'{name}' cannot be the name of a field: it has a quotation mark, a backslash or a control character" : null;

    private StreamContent Content()
    {
        var part = new StreamContent(content);
        // What does not fit between quotation marks is only in the second name, which is percent-encoded (RFC 6266, section 4.3) and which servers prefer.
        part.Headers.ContentDisposition = new ContentDispositionHeaderValue("form-data")
        {
            Name = Quoted(name),
            FileName = Quoted(string.Concat(fileName.Select(static one => one is < ' ' or > '~' or '"' or '\\' ? '_' : one))),
            FileNameStar = fileName,
        };
        if (!string.IsNullOrEmpty(mediaType))
        {
            part.Headers.ContentType = MediaTypeHeaderValue.Parse(mediaType);
        }

        return part;
    }

    // A parameter of a header: quoted whatever it has.
    private static string Quoted(string text) => "\"" + text + "\"";
}
