using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Document 001's controller.</summary>
[ApiController]
[Route("sleep")]
internal sealed class SleepController : ControllerBase
{
    [HttpGet("aio")]
    public Task<string> Aio(int ms) => Sleeping.AioAsync(ms);

    [HttpGet("bio")]
    public string Bio(int ms) => Sleeping.Bio(ms);
}
