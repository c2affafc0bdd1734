using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Files;

/// <summary>What is known of a file before its content. Immutable.</summary>
/// <param name="Name">The field of the form.</param>
/// <param name="FileName">The name that the sender gave the file.</param>
/// <param name="ContentType">Its media type; <c>null</c> where it is not known.</param>
/// <param name="Length">Its length in bytes; <c>null</c> where it is not known before the content has ended.</param>
internal sealed record FileDescriptor(string Name, string FileName, string? ContentType, long? Length)
{
    /// <summary>The headers of the file's part of the form.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Headers { get; init; } = [];

    /// <summary>What a file says of itself.</summary>
    public static FileDescriptor Of(IFormFile file) => new(file.Name ?? "", file.FileName ?? "", MediaTypeOf(file), LengthOf(file)) { Headers = HeadersOf(file) };

    /// <summary>Reads a descriptor.</summary>
    /// <param name="json">In UTF-8.</param>
    /// <exception cref="InvalidDataException">It is not one.</exception>
    public static FileDescriptor Read(ReadOnlyMemory<byte> json)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            var root = document.RootElement;
            var headers = root.TryGetProperty("headers"u8, out var listed) && listed.ValueKind == JsonValueKind.Object
                ? listed.EnumerateObject().Select(static one => new KeyValuePair<string, string>(one.Name, one.Value.GetString() ?? "")).ToArray()
                : [];
            return new FileDescriptor(Text(root, "name") ?? "", Text(root, "fileName") ?? "", Text(root, "contentType"), Number(root, "length")) { Headers = headers };
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException or FormatException)
        {
            throw new InvalidDataException($"A file must begin with a JSON object that describes it: {error.Message}", error);
        }
    }

    /// <summary>Writes the descriptor as JSON.</summary>
    /// <param name="output">Takes the bytes.</param>
    public void Write(PayloadWriter output)
    {
        var json = output.BeginJson();
        json.WriteStartObject();
        json.WriteString("name"u8, Name);
        json.WriteString("fileName"u8, FileName);
        if (ContentType is not null)
        {
            json.WriteString("contentType"u8, ContentType);
        }

        if (Length is { } length)
        {
            json.WriteNumber("length"u8, length);
        }

        if (Headers.Count > 0)
        {
            json.WriteStartObject("headers"u8);
            foreach (var (name, value) in Headers)
            {
                json.WriteString(name, value);
            }

            json.WriteEndObject();
        }

        json.WriteEndObject();
        output.EndJson();
    }

    private static string? Text(JsonElement descriptor, string name) => descriptor.TryGetProperty(name, out var value) && value.ValueKind != JsonValueKind.Null ? value.GetString() : null;

    private static long? Number(JsonElement descriptor, string name) => descriptor.TryGetProperty(name, out var value) && value.ValueKind != JsonValueKind.Null ? value.GetInt64() : null;

    private static long? LengthOf(IFormFile file)
    {
        try
        {
            return file.Length;
        }
        catch (NotSupportedException)
        {
            // One that arrives from somewhere else.
            return null;
        }
    }

    // A FormFile that code made without headers fails where it is asked for one.
    private static string? MediaTypeOf(IFormFile file) => file is not FormFile { Headers: null } && file.ContentType is { Length: > 0 } type ? type : null;

    private static KeyValuePair<string, string>[] HeadersOf(IFormFile file) =>
        file.Headers is { } headers ? [.. headers.Select(static one => new KeyValuePair<string, string>(one.Key, string.Join(", ", one.Value.ToArray())))] : [];
}
