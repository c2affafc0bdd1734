using Microsoft.AspNetCore.Builder;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Stalls;

/// <summary>Answers at once, but for one stall in each run, as after a long collection or a failover.</summary>
internal sealed class StallingServer : WebProgram
{
    // Replaced before each run, while no request is there.
    private volatile Stall? _stall;

    /// <summary><c>stall</c> prepares the stall of the next run; <c>stalled</c> says how long it lasted, and how many requests it held.</summary>
    public override async Task<ControlLine> AskAsync(ControlLine request)
    {
        switch (request.Verb)
        {
            case "stall":
                _stall = new Stall(TimeSpan.FromSeconds(request.Number("after")), TimeSpan.FromSeconds(request.Number("seconds")), TimeProvider.System);
                return new ControlLine("ok");
            case "stalled":
                return _stall is { End.IsCompletedSuccessfully: true } stall
                    ? new ControlLine("ok").With("seconds", stall.End.Result.TotalSeconds).With("held", stall.Held)
                    : throw new InvalidOperationException("The run ended before the stall did.");
            default:
                return await base.AskAsync(request);
        }
    }

    protected override void Map(WebApplication application, ControlLine settings) => application.MapGet("/now", AnswerAsync);

    private async Task<string> AnswerAsync()
    {
        if (_stall is { } stall)
            await stall.PassAsync();
        return "A short answer.";
    }
}
