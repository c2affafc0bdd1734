using System.Runtime.CompilerServices;

namespace Weir.IntegrationTests.Services;

/// <summary>Streams of the numbers from 0 to n - 1 that continue after a cut.</summary>
public abstract class ResumeProbe
{
    [Get, Resumable]
    public async IAsyncEnumerable<long> Again(long n, bool waits = false, long from = 0, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var i = from; i < n; i++)
        {
            yield return i;
        }

        if (waits)
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }
    }

    [Get, Resumable]
    public IAsyncEnumerable<long> Kept(long n, bool waits = false, CancellationToken cancellationToken = default) => Again(n, waits, 0, cancellationToken);
}

[Service]
public sealed class InlineResume : ResumeProbe;

[Service, Isolated("probe")]
public sealed class IsolatedResume : ResumeProbe;

[Service]
public sealed class LaneResume
{
    [Get, Resumable, Stream]
    public IEnumerable<long> Again(long n, bool waits = false, long from = 0, CancellationToken cancellationToken = default)
    {
        for (var i = from; i < n; i++)
        {
            yield return i;
        }

        if (waits)
        {
            cancellationToken.WaitHandle.WaitOne();
        }
    }

    [Get, Resumable, Stream]
    public IEnumerable<long> Kept(long n, bool waits = false, CancellationToken cancellationToken = default) => Again(n, waits, 0, cancellationToken);
}
