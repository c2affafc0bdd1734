using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>Two generations of a service and of its callers, against each other over HTTP.</summary>
public sealed class GenerationTests(ClientHost host) : IClassFixture<ClientHost>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Callers_of_each_generation_call_their_own_server()
    {
        Assert.Equal(new ItemBefore(3, ColorBefore.Green), await host.Client<IStockBefore>().Find(new QueryBefore("abc"), Cancel));
        Assert.Equal(new ItemAfter(14, ColorAfter.Green, "note"), await host.Client<IStockAfter>().Find(new QueryAfter("abc"), 1, Cancel));
    }

    [Fact]
    public async Task An_old_caller_calls_a_new_server_and_does_not_notice()
    {
        var old = host.Client<IOldStock>();
        Assert.Equal(new ItemBefore(13, ColorBefore.Green), await old.Find(new QueryBefore("abc"), Cancel));
        Assert.Equal([new ItemBefore(1, ColorBefore.Red), new ItemBefore(2, ColorBefore.Green)], await old.All(Cancel).ToListAsync(Cancel));
    }

    [Fact]
    public async Task A_new_caller_learns_what_an_old_server_lacks_and_nothing_runs()
    {
        var before = StockBefore.Calls;
        var @new = host.Client<INewStock>();
        var find = await Assert.ThrowsAsync<ContractChangedException>(async () => await @new.Find(new QueryAfter("abc"), ct: Cancel));
        Assert.Contains("the parameter 'page' is not there any more", find.Changes);
        Assert.Contains(find.Changes, static one => one.EndsWith("'limit' of QueryAfter is not read any more", StringComparison.Ordinal));
        Assert.Contains(find.Changes, static one => one.EndsWith("'note' of ItemAfter is not there any more", StringComparison.Ordinal));
        var all = await Assert.ThrowsAsync<ContractChangedException>(async () => await @new.All(ct: Cancel).ToListAsync(Cancel));
        Assert.Contains("the parameter 'color' is not there any more", all.Changes);
        Assert.Equal(before, StockBefore.Calls);
    }
}
