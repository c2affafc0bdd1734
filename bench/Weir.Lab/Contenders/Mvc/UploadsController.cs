using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Bodies: raw, and as JSON.</summary>
[ApiController]
[Route("uploads")]
internal sealed class UploadsController : ControllerBase
{
    // The framework has no formatter for bytes: what people write by hand.
    [HttpPost("size")]
    public async Task<long> SizeAsync()
    {
        using var whole = new MemoryStream();
        await Request.Body.CopyToAsync(whole);
        return whole.Length;
    }

    [HttpPost("order")]
    public int Order(Order order) => order.Pieces();
}
