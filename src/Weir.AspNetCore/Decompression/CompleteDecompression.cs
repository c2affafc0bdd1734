using Microsoft.AspNetCore.RequestDecompression;

namespace Weir.AspNetCore.Decompression;

/// <summary>
/// A provider of ASP.NET Core whose streams refuse a body that ends inside its content coding. The streams of .NET report such an end as the end of the
/// data, so a request that was cut would count as complete.
/// </summary>
/// <param name="provider">Makes the stream.</param>
/// <param name="coding">The name in <c>Content-Encoding</c>.</param>
internal sealed class CompleteDecompression(IDecompressionProvider provider, string coding) : IDecompressionProvider
{
    public Stream GetDecompressionStream(Stream stream)
    {
        var compressed = new CompressedBody(stream, coding);
        return new DecompressedBody(provider.GetDecompressionStream(compressed), compressed);
    }
}
