using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A host with hundreds of pools.</summary>
internal sealed class WeirKindsProgram : ContenderProgram
{
    private readonly MetricsListener _metrics = new();
    private readonly WeirKinds _kinds = new();

    /// <summary><c>kinds</c> opens pools, <c>rare</c> calls them.</summary>
    public override async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request)
    {
        switch (request.Verb)
        {
            case "kinds":
                _kinds.Open(request);
                return [Readings.Done()];
            case "rare":
                return await RareCalls.RunAsync(_kinds.Count, request, kind => _kinds.CallAsync(kind, request.Int("bytes")));
            default:
                return await base.LinesAsync(request);
        }
    }

    public override async ValueTask DisposeAsync()
    {
        await _kinds.DisposeAsync();
        _metrics.Dispose();
        await base.DisposeAsync();
    }
}
