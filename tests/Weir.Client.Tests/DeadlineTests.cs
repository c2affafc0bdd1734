using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>Deadlines travel to the server, and end the call on this side too.</summary>
public sealed class DeadlineTests(ClientHost host) : IClassFixture<ClientHost>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_server_knows_the_deadline()
    {
        Assert.Equal(-1, await host.Client<IStreams>().Remaining(Cancel));
        Assert.InRange(await Limited(TimeSpan.FromSeconds(30)).Remaining(Cancel), 20_000, 30_000);
    }

    [Fact]
    public async Task Calls_that_an_operation_makes_have_its_deadline()
    {
        Assert.Equal(-1, await host.Client<IStreams>().RemainingThere(host.Address.ToString(), Cancel));
        Assert.InRange(await Limited(TimeSpan.FromSeconds(30)).RemainingThere(host.Address.ToString(), Cancel), 20_000, 29_999);
    }

    [Fact]
    public async Task A_call_beyond_it_is_ended()
    {
        await Assert.ThrowsAsync<DeadlineExceededException>(async () => await Limited(TimeSpan.FromMilliseconds(100)).Wait(Cancel));
        await Assert.ThrowsAsync<DeadlineExceededException>(async () => await Limited(TimeSpan.FromMilliseconds(300)).WaitAfter(1, Cancel).ToListAsync(Cancel));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void A_limit_that_is_not_positive_is_refused(int milliseconds)
    {
        var error = Assert.Throws<ArgumentException>(() => Limited(TimeSpan.FromMilliseconds(milliseconds)));
        Assert.Contains("WeirClientOptions.Deadline", error.Message, StringComparison.Ordinal);
    }

    private IStreams Limited(TimeSpan deadline) => host.Client<IStreams>(new WeirClientOptions { Deadline = deadline });
}
