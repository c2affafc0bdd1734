using Microsoft.AspNetCore.Mvc;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Document 000's controller.</summary>
[ApiController]
[Route("weather")]
internal sealed class WeatherController : ControllerBase
{
    [HttpGet("array")]
    public IEnumerable<Forecast> Array(int days = 100, int delay = 20) => Forecasts.Array(days, delay);

    [HttpGet("lazy")]
    public IEnumerable<Forecast> Lazy(int days = 100, int delay = 20) => Forecasts.Lazy(days, delay);

    [HttpGet("stream")]
    public IAsyncEnumerable<Forecast> Stream(CancellationToken cancellation, int days = 100, int delay = 20) =>
        Forecasts.StreamAsync(days, delay, cancellation);

    [HttpGet("checked")]
    public IAsyncEnumerable<Forecast> Checked(int days = 100, int delay = 20)
    {
        var aborted = HttpContext.RequestAborted;
        return Forecasts.CheckedAsync(days, delay, () => aborted.IsCancellationRequested);
    }
}
