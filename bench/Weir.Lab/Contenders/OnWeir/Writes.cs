using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The same lines as streams. Weir writes; the application chooses whether its source blocks, and when items are sent.</summary>
[Service]
public sealed class Writes
{
    [Get, Stream(Flush = FlushPolicy.Item)]
    public IAsyncEnumerable<string> AsyncUnbuffered(int count, bool isLong) => Lines.OfAsync(count, isLong);

    [Get, Stream(Flush = FlushPolicy.Bulk)]
    public IAsyncEnumerable<string> AsyncBuffered(int count, bool isLong) => Lines.OfAsync(count, isLong);

    [Get, Stream(Flush = FlushPolicy.Item)]
    public IEnumerable<string> SyncUnbuffered(int count, bool isLong) => Lines.Of(count, isLong);

    [Get, Stream(Flush = FlushPolicy.Bulk)]
    public IEnumerable<string> SyncBuffered(int count, bool isLong) => Lines.Of(count, isLong);
}
