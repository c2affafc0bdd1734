using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Small objects as the one format that controllers stream.</summary>
[ApiController]
[Route("samples")]
internal sealed class SamplesController : ControllerBase
{
    [HttpGet("array")]
    public IAsyncEnumerable<Sample> Array(int count, int ms, CancellationToken cancellation) => Sample.StreamAsync(count, ms, cancellation);

    [HttpGet("fail")]
    public IAsyncEnumerable<Sample> Fail(int after, CancellationToken cancellation) => Sample.FailAsync(after, cancellation);
}
