namespace Weir.AspNetCore.Http;

/// <summary>The kind of body that a request's <c>Content-Type</c> declares.</summary>
internal enum BodyForm
{
    /// <summary>Another media type, or none.</summary>
    Other,

    /// <summary>JSON in UTF-8.</summary>
    Json,

    /// <summary>Pairs as a browser's form sends them.</summary>
    Form,

    /// <summary>JSON values in UTF-8, one in each line.</summary>
    Lines,

    /// <summary>Parts as a browser's form with files sends them.</summary>
    Multipart,
}
