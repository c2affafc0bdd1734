using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Small objects as one operation; the caller chooses the format.</summary>
[Service("samples")]
public sealed class SampleStreams
{
    [Get]
    public IAsyncEnumerable<Sample> All(int count, int ms, CancellationToken ct = default) => Sample.StreamAsync(count, ms, ct);

    /// <summary>One item after each delay, which says when it was sent.</summary>
    [Get]
    public IAsyncEnumerable<SentSample> Sent(int count, int delay, CancellationToken ct = default) => SentSample.StreamAsync(count, delay, ct);

    [Get]
    public IAsyncEnumerable<Sample> Fail(int after, CancellationToken ct = default) => Sample.FailAsync(after, ct);
}
