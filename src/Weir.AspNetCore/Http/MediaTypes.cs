namespace Weir.AspNetCore.Http;

/// <summary>The media types Weir writes and reads.</summary>
internal static class MediaTypes
{
    internal const string Json = "application/json";
    internal const string Text = "text/plain";
    internal const string TextUtf8 = "text/plain; charset=utf-8";
    internal const string OctetStream = "application/octet-stream";
    internal const string Ndjson = "application/x-ndjson";
    internal const string PlainNdjson = "application/ndjson";
    internal const string Jsonl = "application/jsonl";
    internal const string EventStream = "text/event-stream";
    internal const string Form = "application/x-www-form-urlencoded";
    internal const string Multipart = "multipart/form-data";
    internal const string ProblemJson = "application/problem+json";

    /// <summary>What is before the parameters of a media type.</summary>
    internal static string WithoutParameters(string mediaType) => mediaType.IndexOf(';', StringComparison.Ordinal) is var end and >= 0 ? mediaType[..end].TrimEnd() : mediaType;
}
