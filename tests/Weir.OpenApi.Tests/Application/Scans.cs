using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace Weir.OpenApi.Tests.Application;

/// <summary>Content that declares what it is.</summary>
[Service, Isolated("scans")]
public sealed class Scans
{
    [Produces("image/webp")]
    public async Task<Stream> Convert(Stream scan, int quality = 80)
    {
        var converted = new MemoryStream();
        await scan.CopyToAsync(converted);
        converted.WriteByte((byte)quality);
        converted.Position = 0;
        return converted;
    }

    [Produces("application/pdf")]
    public async Task<byte[]> Print(string title, IReadOnlyList<IFormFile> pages)
    {
        var length = title.Length;
        foreach (var page in pages)
        {
            await page.OpenReadStream().CopyToAsync(Stream.Null);
            length++;
        }

        return new byte[length];
    }

    [Get, Produces("image/png")]
    public byte[]? Thumbnail(int size = 1) => size == 0 ? null : [(byte)size];

    [Get]
    public Stream Raw() => new MemoryStream([1]);
}
