using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Document 000's large data.</summary>
[ApiController]
[Route("guids")]
internal sealed class GuidsController : ControllerBase
{
    [HttpGet("array")]
    public IEnumerable<string> Array(int count, bool constant) => Guids.Array(count, constant);

    [HttpGet("stream")]
    public IAsyncEnumerable<string> Stream(int count, bool constant) => Guids.StreamAsync(count, constant);
}
