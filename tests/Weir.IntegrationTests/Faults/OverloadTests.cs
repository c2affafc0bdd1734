using System.Net;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>More callers than workers and queue together, over HTTP.</summary>
public sealed class OverloadTests
{
    private const int Workers = 2;
    private const int Queue = 20;
    private const int TooMany = 8;

    [Fact]
    public async Task A_full_queue_answers_503_with_Retry_After_at_once_and_other_calls_are_not_rejected()
    {
        await using var showcase = await ShowcaseProcess.StartAsync();
        var cancellationToken = TestContext.Current.CancellationToken;
        using var enough = new CancellationTokenSource();

        // Endless loops fill every worker and the whole queue; nothing of it can end before the test says so.
        var held = Enumerable.Range(0, Workers + Queue).Select(_ => showcase.Client.PostAsync("/Neighbour/Loop", null, enough.Token)).ToArray();
        Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Workers().Count(ProcFiles.IsBurning) >= Workers, TimeSpan.FromSeconds(60)));

        for (var i = 0; i < TooMany; i++)
        {
            // Nothing in the queue can end: an answer means that the request has not waited.
            using var refused = await showcase.Client.PostAsync("/Neighbour/Loop", null, cancellationToken);

            Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
            Assert.NotNull(refused.Headers.RetryAfter?.Delta);
            Assert.Contains(WeirCodes.QueueFull, await refused.Content.ReadAsStringAsync(cancellationToken), StringComparison.Ordinal);
        }

        // Other pools are not in that queue, and those who wait in it still do.
        Assert.Equal("Hello, world", await showcase.Client.GetStringAsync("/Hello/World", cancellationToken));
        Assert.Equal(HttpStatusCode.OK, (await showcase.Client.GetAsync("/Hasher/DoTask?size=10", cancellationToken)).StatusCode);
        Assert.All(held, static request => Assert.False(request.IsCompleted));
        await enough.CancelAsync();
    }
}
