using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.Calling;

/// <summary>The streams of small objects as a program calls them that only has the contract.</summary>
[Service("CalledSamples", Route = "/samples")]
public interface ICalledSamples
{
    [Get]
    IAsyncEnumerable<Sample> All(int count, int ms, CancellationToken ct = default);

    [Get]
    IAsyncEnumerable<SentSample> Sent(int count, int delay, CancellationToken ct = default);
}
