namespace Weir.Cli.Fetch;

/// <summary>The request for one URL of the list.</summary>
internal sealed class FetchRequest(in Address address) : HttpRequestMessage(HttpMethod.Get, address.Uri)
{
    /// <summary>The position of the URL in the list.</summary>
    public long Index { get; } = address.Index;

    /// <summary>The URL as it was given; a redirect does not change it.</summary>
    public string Text { get; } = address.Text;
}
