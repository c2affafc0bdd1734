using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.Calling;

/// <summary>Document 004's operation as a program calls it that only has the contract.</summary>
[Service("CalledPerf", Route = "/Perf")]
public interface ICalledPerf
{
    [Get]
    ValueTask<Echo> Echo(string name, int x, int y, Fruit e, CancellationToken ct = default);
}
