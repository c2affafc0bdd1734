using System.ComponentModel.DataAnnotations;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Net.Http.Headers;
using SkiaSharp;
using Weir;

namespace Scans;

/// <summary>
/// Images of other people, decoded by a native library in a process of its own: at most two of these, of 512 MB each, none while there is nothing to convert (appsettings.json). Upload and download pass the
/// host in pieces of at most 64 KB, and no file is written.
/// </summary>
[Service("Scans"), Isolated("scans")]
public sealed class ScanConverter
{
    /// <summary>A page in shades of grey, as PNG.</summary>
    [Produces("image/png"), RequestSizeLimit(100_000_000)]
    public Stream ToGrey(IFormFile scan, OperationContext context, [Range(1, 4000)] int width = 800)
    {
        // The image arrives while it is read here. A cut upload throws, which native code must not see: it gets what is complete.
        using var content = scan.OpenReadStream();
        using var encoded = SKData.Create(content);
        using var page = SKBitmap.Decode(encoded) ?? throw new OperationStatusException(StatusCodes.Status422UnprocessableEntity, $"{scan.FileName} is no image that can be read.");

        var height = Math.Max(1, (int)((long)page.Height * width / page.Width));
        using var grey = page.Resize(new SKImageInfo(width, height, SKColorType.Gray8, SKAlphaType.Opaque), new SKSamplingOptions(SKCubicResampler.Mitchell))
            ?? throw new OperationStatusException(StatusCodes.Status422UnprocessableEntity, $"{scan.FileName} cannot be made {width} pixels wide.");

        var name = new ContentDispositionHeaderValue("attachment");
        name.SetHttpFileName(Path.ChangeExtension(scan.FileName, ".png"));
        context.Headers[HeaderNames.ContentDisposition] = name.ToString();

        // It can seek, so the response has a length. It is disposed when it was sent.
        return grey.Encode(SKEncodedImageFormat.Png, 100).AsStream(streamDisposesData: true);
    }

    /// <summary>What a damaged image can do to native code, as an example: it reads memory that is not its own. Its worker ends, and no other call.</summary>
    public void Damaged()
    {
        using var image = SKImage.FromPixels(new SKImageInfo(1000, 1000), pixels: 1 << 20);
        using var png = image.Encode(SKEncodedImageFormat.Png, 100);
    }
}
