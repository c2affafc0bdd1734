namespace Weir.IntegrationTests.Services;

/// <summary>Operations whose exceptions have statuses of their own.</summary>
[Service, Get]
public sealed class Refusals
{
    [Throws(typeof(SoldOutException), Status = 409)]
    public int Inline() => throw new SoldOutException("no tea is left");

    [Blocking, Throws(typeof(SoldOutException), Status = 409)]
    public int Lane() => throw new SoldOutException("no tea is left");

    [Isolated(Kinds.Pool), Throws(typeof(SoldOutException), Status = 409)]
    public int Worker() => throw new SoldOutException("no tea is left");

    [Throws(typeof(SoldOutException), Status = 409)]
    public async IAsyncEnumerable<int> Stream()
    {
        await Task.Yield();
        yield return Inline();
    }

    [Throws(typeof(SoldOutException))]
    public int Undeclared() => throw new SoldOutException("no tea is left");

    [Throws(typeof(SoldOutException), Status = 503)]
    public int Unavailable() => throw new SoldOutException("no tea is left");

    public int Mapped() => throw new KeyNotFoundException("no such tea");

    public int MappedByBase() => throw new ArgumentNullException(null, "no name");

    [Isolated(Kinds.Pool)]
    public int MappedInWorker() => throw new KeyNotFoundException("no such tea");
}

/// <summary>What they throw.</summary>
public sealed class SoldOutException(string message) : Exception(message);
