namespace Weir.AspNetCore.Http;

/// <summary>Reads <c>Content-Type</c>.</summary>
internal static class BodyForms
{
    internal static BodyForm Of(string? contentType)
    {
        var rest = contentType.AsSpan();
        var type = HeaderText.Take(ref rest, ';');
        if (type.Equals(MediaTypes.Form, StringComparison.OrdinalIgnoreCase))
        {
            // The media type has no charset of its own (WHATWG URL §5.1): whatever a client adds, it is UTF-8.
            return BodyForm.Form;
        }

        if (type.Equals(MediaTypes.Multipart, StringComparison.OrdinalIgnoreCase))
        {
            return BodyForm.Multipart;
        }

        var isJson = type.Equals(MediaTypes.Json, StringComparison.OrdinalIgnoreCase)
            || (type.Contains('/') && type.EndsWith("+json", StringComparison.OrdinalIgnoreCase));
        return !(isJson || IsLines(type)) || !IsUtf8(rest) ? BodyForm.Other : isJson ? BodyForm.Json : BodyForm.Lines;
    }

    private static bool IsLines(ReadOnlySpan<char> type) =>
        type.Equals(MediaTypes.Ndjson, StringComparison.OrdinalIgnoreCase)
        || type.Equals(MediaTypes.PlainNdjson, StringComparison.OrdinalIgnoreCase)
        || type.Equals(MediaTypes.Jsonl, StringComparison.OrdinalIgnoreCase);

    private static bool IsUtf8(ReadOnlySpan<char> parameters)
    {
        while (!parameters.IsEmpty)
        {
            if (HeaderText.TryGetParameter(HeaderText.Take(ref parameters, ';'), out var name, out var value)
                && name.Equals("charset", StringComparison.OrdinalIgnoreCase)
                && !value.Equals("utf-8", StringComparison.OrdinalIgnoreCase)
                && !value.Equals("utf8", StringComparison.OrdinalIgnoreCase))
            {
                return false;
            }
        }

        return true;
    }
}
