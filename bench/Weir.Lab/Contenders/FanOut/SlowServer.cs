using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.FanOut;

/// <summary>The endpoint that document 002 had somewhere in the network: it waits, then answers a few bytes.</summary>
internal sealed class SlowServer : WebProgram
{
    protected override void Map(WebApplication application, ControlLine settings)
    {
        application.MapGet("/now", () => "A short answer that needs no time.");
        application.MapGet("/wait", WaitAsync);
    }

    private static async Task<string> WaitAsync(int ms, HttpContext context)
    {
        await Task.Delay(ms, context.RequestAborted);
        return "A short answer that took its time.";
    }
}
