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

    [Get, Resumable]
    IAsyncEnumerable<long> Crashing(string marker, long from = 0, CancellationToken ct = default);

    [Get, Resumable]
    IAsyncEnumerable<long> CrashingKept(string marker, CancellationToken ct = default);
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

    /// <summary>The first worker that gets to the fourth item ends.</summary>
    [Isolated("journal")]
    public async IAsyncEnumerable<long> Crashing(string marker, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = from; i < 6; i++)
        {
            // What was yielded has left the worker when it ends.
            await Task.Delay(100, ct);
            if (i == 3 && !File.Exists(marker))
            {
                await File.WriteAllTextAsync(marker, "", ct);
                Environment.FailFast("the worker of a test ends");
            }

            yield return i;
        }
    }

    [Isolated("journal")]
    public IAsyncEnumerable<long> CrashingKept(string marker, CancellationToken ct = default) => Crashing(marker, ct: ct);
}
