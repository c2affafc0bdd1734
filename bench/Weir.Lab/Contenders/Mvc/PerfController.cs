using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Document 004's operation, and the least one.</summary>
[ApiController]
[Route("")]
internal sealed class PerfController : ControllerBase
{
    [HttpGet("perf/echo")]
    public Echo Echo(string name, int x, int y, Fruit e) => Work.Echo.Of(name, x, y, e);

    [HttpGet("hello/world")]
    public string Hello() => "Hello, world";
}
