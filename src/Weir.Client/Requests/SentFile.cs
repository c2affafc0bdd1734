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
            form.Add(file.Content(), Quoted(file.Name), file.FileName);
        }

        return form;
    }

    private string Name => name;

    private string FileName => fileName;

    private StreamContent Content()
    {
        var part = new StreamContent(content);
        if (!string.IsNullOrEmpty(mediaType))
        {
            part.Headers.ContentType = MediaTypeHeaderValue.Parse(mediaType);
        }

        return part;
    }

    // A parameter of a header: quoted whatever it has.
    private static string Quoted(string text) => "\"" + text.Replace("\"", "%22") + "\"";
}
