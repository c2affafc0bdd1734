using System.Runtime.CompilerServices;

namespace Weir.IntegrationTests.Services;

/// <summary>Streams that give some items and then wait until they are cancelled, and a result that only waits.</summary>
public abstract class CutProbe
{
    [Get]
    public async IAsyncEnumerable<int> Numbers(int n, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        await Task.Delay(Timeout.Infinite, cancellationToken);
    }

    [Get]
    public async ValueTask<string> Never(CancellationToken cancellationToken = default)
    {
        await Task.Delay(Timeout.Infinite, cancellationToken);
        return "never";
    }
}

[Service]
public sealed class InlineCut : CutProbe;

[Service, Isolated("probe")]
public sealed class IsolatedCut : CutProbe;

[Service]
public sealed class LaneCut
{
    [Get, Stream]
    public IEnumerable<int> Numbers(int n, CancellationToken cancellationToken = default)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        cancellationToken.WaitHandle.WaitOne();
    }

    [Get, Blocking]
    public string Never(CancellationToken cancellationToken = default)
    {
        cancellationToken.WaitHandle.WaitOne();
        cancellationToken.ThrowIfCancellationRequested();
        return "never";
    }
}
