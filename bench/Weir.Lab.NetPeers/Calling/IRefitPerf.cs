using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.Calling;

/// <summary>The same for Refit.</summary>
public interface IRefitPerf
{
    [Refit.Get("/Perf/Echo")]
    Task<Echo> Echo(string name, int x, int y, Fruit e, CancellationToken ct = default);
}
