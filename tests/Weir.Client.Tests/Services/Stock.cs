using System.Runtime.CompilerServices;

namespace Weir.Client.Tests.Services;

public enum ColorBefore
{
    Red,
    Green,
}

public enum ColorAfter
{
    Red,
    Green,
    Blue,
}

public sealed record QueryBefore(string Article);

public sealed record QueryAfter(string Article, int Limit = 10);

public sealed record ItemBefore(int Id, ColorBefore Color);

public sealed record ItemAfter(int Id, ColorAfter Color, string? Note);

/// <summary>The first generation of a service.</summary>
[Service(Route = "/stock/before")]
public interface IStockBefore
{
    [Post]
    ValueTask<ItemBefore> Find(QueryBefore query, CancellationToken ct = default);

    [Get]
    IAsyncEnumerable<ItemBefore> All(CancellationToken ct = default);
}

/// <summary>The second: more parameters that may be absent, members of results, and names of enums.</summary>
[Service(Route = "/stock/after")]
public interface IStockAfter
{
    [Post]
    ValueTask<ItemAfter> Find(QueryAfter query, int page = 0, CancellationToken ct = default);

    [Get]
    IAsyncEnumerable<ItemAfter> All(ColorAfter? color = null, CancellationToken ct = default);
}

/// <summary>A caller of the first generation whose server is of the second.</summary>
[Service(Route = "/stock/after")]
public interface IOldStock
{
    [Post]
    ValueTask<ItemBefore> Find(QueryBefore query, CancellationToken ct = default);

    [Get]
    IAsyncEnumerable<ItemBefore> All(CancellationToken ct = default);
}

/// <summary>A caller of the second generation whose server is of the first.</summary>
[Service(Route = "/stock/before")]
public interface INewStock
{
    [Post]
    ValueTask<ItemAfter> Find(QueryAfter query, int page = 0, CancellationToken ct = default);

    [Get]
    IAsyncEnumerable<ItemAfter> All(ColorAfter? color = null, CancellationToken ct = default);
}

[Service]
public sealed class StockBefore : IStockBefore
{
    private static int s_calls;

    internal static int Calls => Volatile.Read(ref s_calls);

    public ValueTask<ItemBefore> Find(QueryBefore query, CancellationToken ct = default)
    {
        Interlocked.Increment(ref s_calls);
        return new ValueTask<ItemBefore>(new ItemBefore(query.Article.Length, ColorBefore.Green));
    }

    public async IAsyncEnumerable<ItemBefore> All([EnumeratorCancellation] CancellationToken ct = default)
    {
        Interlocked.Increment(ref s_calls);
        await Task.Yield();
        yield return new ItemBefore(1, ColorBefore.Red);
    }
}

[Service]
public sealed class StockAfter : IStockAfter
{
    public ValueTask<ItemAfter> Find(QueryAfter query, int page = 0, CancellationToken ct = default) =>
        new(new ItemAfter(query.Article.Length + query.Limit + page, ColorAfter.Green, "note"));

    public async IAsyncEnumerable<ItemAfter> All(ColorAfter? color = null, [EnumeratorCancellation] CancellationToken ct = default)
    {
        await Task.Yield();
        yield return new ItemAfter(1, color ?? ColorAfter.Red, null);
        yield return new ItemAfter(2, ColorAfter.Green, "note");
    }
}
