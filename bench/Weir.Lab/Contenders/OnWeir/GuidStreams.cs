using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 000's large data as an operation.</summary>
[Service("guids")]
public sealed class GuidStreams
{
    [Get]
    public IAsyncEnumerable<string> Stream(int count, bool constant) => Guids.StreamAsync(count, constant);
}
