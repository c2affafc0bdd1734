using System.Runtime.CompilerServices;
using System.Security.Claims;

namespace Weir.IntegrationTests.Services;

public sealed record Basket(string Owner, List<int> Amounts, Basket? Inner = null);

/// <summary>What a synchronous operation may do; the same code runs inline, on the lane and in a worker.</summary>
public abstract class SyncProbe
{
    public int Add(int a, int b) => a + b;

    public string Echo(string text) => text;

    public string? Nothing(string? text) => text;

    public byte[] Reverse(ReadOnlyMemory<byte> data)
    {
        var bytes = data.ToArray();
        Array.Reverse(bytes);
        return bytes;
    }

    public Basket Grow(Basket basket, int amount)
    {
        basket.Amounts.Add(amount);
        return basket;
    }

    public void Forget()
    {
    }

    public int Fail(string message) => throw new InvalidOperationException(message);

    [Throws(typeof(OutOfStockException))]
    public int Take(int count) => throw new OutOfStockException($"fewer than {count} are left");

    public int Refuse(int statusCode) => throw new OperationStatusException(statusCode, "refused", new Dictionary<string, string> { ["X-Reason"] = "test" });

    public int ProcessId() => Environment.ProcessId;

    public string Who(ClaimsPrincipal user, OperationContext context) => Callers.Describe(user, context);
}

/// <summary>What an asynchronous operation may do; the same code runs inline and in a worker.</summary>
public abstract class AsyncProbe
{
    public async ValueTask<string> Later(string text, CancellationToken cancellationToken)
    {
        await Task.Yield();
        cancellationToken.ThrowIfCancellationRequested();
        return text;
    }

    public async Task FailLater(string message)
    {
        await Task.Yield();
        throw new InvalidOperationException(message);
    }

    public async ValueTask<bool> UntilCancelled(CancellationToken cancellationToken)
    {
        await Task.Delay(Timeout.Infinite, cancellationToken);
        return true;
    }

    public async IAsyncEnumerable<int> Count(int n, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var i = 0; i < n; i++)
        {
            if (i % 100 == 0)
            {
                await Task.Yield();
            }

            cancellationToken.ThrowIfCancellationRequested();
            yield return i;
        }
    }

    public async IAsyncEnumerable<int> CountAndFail(int n)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return i;
        }

        throw new InvalidOperationException($"after {n}");
    }

    public async IAsyncEnumerable<string> Big(int n, int length)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return new string((char)('a' + (i % 26)), length);
        }
    }
}

/// <summary>What a blocking stream may do; the same code runs on the lane and in a worker.</summary>
public abstract class StreamProbe
{
    [Stream]
    public IEnumerable<int> CountBlocking(int n)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }
    }

    [Stream]
    public IEnumerable<int> CountBlockingAndFail(int n)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
        }

        throw new InvalidOperationException($"after {n}");
    }
}

[Service]
public sealed class InlineSync : SyncProbe;

[Service, Blocking]
public sealed class LaneSync : SyncProbe;

[Service, Isolated("probe")]
public sealed class IsolatedSync : SyncProbe;

[Service]
public sealed class InlineAsync : AsyncProbe;

[Service, Isolated("probe")]
public sealed class IsolatedAsync : AsyncProbe;

[Service]
public sealed class LaneStream : StreamProbe;

[Service, Isolated("probe")]
public sealed class IsolatedStream : StreamProbe;

public sealed class OutOfStockException(string message) : Exception(message)
{
    /// <summary>The thread on which it was made.</summary>
    public string? MadeOn { get; } = Thread.CurrentThread.Name;
}
