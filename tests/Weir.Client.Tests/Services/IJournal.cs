using System.Runtime.CompilerServices;

namespace Weir.Client.Tests.Services;

/// <summary>Streams that continue after a cut.</summary>
[Service]
public interface IJournal
{
    [Get, Resumable]
    IAsyncEnumerable<long> Lines(int n, long from = 0, CancellationToken ct = default);

    [Get, Resumable]
    IAsyncEnumerable<long> Kept(int n, CancellationToken ct = default);

    [Get, Resumable]
    IAsyncEnumerable<string> Failing(long after, long from = 0, CancellationToken ct = default);
}

[Service]
public sealed class Journal : IJournal
{
    public async IAsyncEnumerable<long> Lines(int n, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = from; i < n; i++)
        {
            if (i % 500 == 0)
            {
                await Task.Yield();
            }

            ct.ThrowIfCancellationRequested();
            yield return i;
        }
    }

    public IAsyncEnumerable<long> Kept(int n, CancellationToken ct = default) => Lines(n, ct: ct);

    public async IAsyncEnumerable<string> Failing(long after, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = from; i < after; i++)
        {
            await Task.Yield();
            yield return $"{i}";
        }

        throw new InvalidOperationException("broken");
    }
}
