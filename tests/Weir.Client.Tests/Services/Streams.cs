using System.Runtime.CompilerServices;
using System.Text;

namespace Weir.Client.Tests.Services;

[Service(typeof(IStreams))]
public sealed class Streams
{
    private static int _stopped;
    private static int _waiting;

    /// <summary>How many calls that wait were stopped by their caller.</summary>
    internal static int Stopped => Volatile.Read(ref _stopped);

    /// <summary>How many calls have begun to wait for their end.</summary>
    internal static int Waiting => Volatile.Read(ref _waiting);

    public async IAsyncEnumerable<int> Count(int n, int pauseEach = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < n; i++)
        {
            if (pauseEach > 0)
            {
                await Task.Delay(pauseEach, ct);
            }

            ct.ThrowIfCancellationRequested();
            yield return i;
        }
    }

    public async IAsyncEnumerable<Part> Fail(int after, string kind, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < after; i++)
        {
            await Task.Yield();
            yield return new Part($"part {i}", i);
        }

        throw Error(kind, $"after {after}");
    }

    public async IAsyncEnumerable<Dictionary<string, string>> Marked(int n, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return new Dictionary<string, string> { ["$weir"] = $"{i}" };
        }
    }

    public async IAsyncEnumerable<ReadOnlyMemory<byte>> Bytes(int n, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return Encoding.UTF8.GetBytes($"{i};");
        }
    }

    public async IAsyncEnumerable<byte[]> Blocks(int n, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return new byte[i];
        }
    }

    public async ValueTask<int> Total(IAsyncEnumerable<Part> parts, string name, CancellationToken ct = default)
    {
        var total = 0;
        await foreach (var part in parts.WithCancellation(ct))
        {
            total += part.Name == name ? part.Count : 0;
        }

        return total;
    }

    public async IAsyncEnumerable<int> Doubled(IAsyncEnumerable<int> numbers, [EnumeratorCancellation] CancellationToken ct = default)
    {
        await foreach (var number in numbers.WithCancellation(ct))
        {
            yield return number * 2;
        }
    }

    public Task Throw(string kind, string message, CancellationToken ct = default) => throw Error(kind, message);

    public int Remaining(OperationContext context) =>
        context.Deadline is { } deadline ? (int)(deadline - DateTimeOffset.UtcNow).TotalMilliseconds : -1;

    public async ValueTask<int> RemainingThere(string address, CancellationToken ct = default)
    {
        using var http = new HttpClient { BaseAddress = new Uri(address) };
        return await WeirClient.Create<IStreams>(http).Remaining(ct);
    }

    public async ValueTask Wait(CancellationToken ct = default)
    {
        Interlocked.Increment(ref _waiting);
        try
        {
            await Task.Delay(Timeout.Infinite, ct);
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref _stopped);
            throw;
        }
    }

    public async IAsyncEnumerable<int> WaitAfter(int n, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        await Wait(ct);
    }

    private static Exception Error(string kind, string message) => kind switch
    {
        "gone" => new GoneException(message),
        "quiet" => new QuietException(message),
        "status" => new OperationStatusException(409),
        "rejected" => new CallRejectedException(WeirCodes.QueueFull, message, TimeSpan.FromSeconds(7)),
        _ => new InvalidOperationException(message),
    };
}
