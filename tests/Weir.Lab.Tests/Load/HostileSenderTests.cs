using Weir.Lab.Engine;
using Weir.Lab.Load;

namespace Weir.Lab.Tests.Load;

public sealed class HostileSenderTests
{
    private const string WholeKind = "deep JSON";
    private const string UnfinishedKind = "truncated body";

    [Theory]
    [InlineData(WholeKind, 400, "4xx")]
    [InlineData(UnfinishedKind, 400, "4xx")]
    [InlineData(WholeKind, 200, "2xx")]
    [InlineData(WholeKind, 500, AbuseCount.Failures)]
    [InlineData(UnfinishedKind, 502, AbuseCount.Failures)]
    [InlineData(WholeKind, 503, "other statuses")]
    public async Task Answers_are_counted_by_their_class(string kind, int status, string metric)
    {
        var round = await SendAsync(kind, head => AnsweringServer.Healthy(head) ?? AnsweringServer.Reply(status, "it"));
        Assert.Equal(3, round[metric]);
        Assert.Equal(0, round[AbuseCount.Hangs] + round[AbuseCount.Unanswered]);
    }

    [Theory]
    [InlineData(WholeKind, 3)]
    [InlineData(UnfinishedKind, 0)]
    [InlineData("reset", 0)]
    public async Task The_healthy_request_uses_the_same_connection_where_the_framing_survives(string kind, int expected)
    {
        var round = await SendAsync(kind, head => AnsweringServer.Healthy(head) ?? AnsweringServer.Reply(400, "it"));
        Assert.Equal(expected, round["healthy, same connection"]);
        Assert.Equal(0, round[AbuseCount.Unanswered]);
    }

    [Fact]
    public async Task A_connection_that_is_closed_without_an_answer_is_not_a_hang()
    {
        var round = await SendAsync(WholeKind, head => AnsweringServer.Healthy(head) ?? "");
        Assert.Equal((3, 0, 0), (round["closed unanswered"], round[AbuseCount.Hangs], round[AbuseCount.Unanswered]));
    }

    [Fact]
    public async Task Silence_is_a_hang()
    {
        var round = await SendAsync(WholeKind, AnsweringServer.Healthy, TimeSpan.FromMilliseconds(200));
        Assert.Equal((3, 0), (round[AbuseCount.Hangs], round[AbuseCount.Unanswered]));
    }

    [Theory]
    [InlineData(200, """{"name":"another","sum":3}""")]
    [InlineData(503, "busy")]
    public async Task A_healthy_request_with_another_answer_is_unanswered(int status, string body)
    {
        var round = await SendAsync(WholeKind, head => AnsweringServer.Reply(AnsweringServer.Healthy(head) is null ? 400 : status, body));
        Assert.Equal((3, 0), (round[AbuseCount.Unanswered], round["healthy, same connection"]));
    }

    [Fact]
    public async Task Aborted_uploads_never_send_their_whole_body()
    {
        const int bytes = 100_000;
        using var server = new AnsweringServer(_ => null);
        await new AbortedUploads(server.EndPoint, "/uploads/size", bytes).RunAsync(20, TestContext.Current.CancellationToken);
        await server.ClosedAsync(20).WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        Assert.InRange(server.MostReceived, bytes / 10, bytes);
    }

    [Fact]
    public async Task A_dripping_sender_that_is_turned_away_begins_again()
    {
        using var server = new AnsweringServer(_ => AnsweringServer.Reply(408, ""));
        await using var senders = new DrippingSenders(server.EndPoint, "/uploads/size", "text/plain", "1", senders: 2, TimeSpan.FromMilliseconds(10));
        await server.ClosedAsync(6).WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        Assert.True(senders.Begun >= 6);
    }

    private static async Task<Round> SendAsync(string kind, Func<string, string?> answer, TimeSpan? patience = null)
    {
        using var server = new AnsweringServer(answer);
        var sender = new HostileSender(server.EndPoint, 7, patience ?? TimeSpan.FromSeconds(10));
        return (await sender.RunAsync(kind, 3, TestContext.Current.CancellationToken)).ToRound();
    }
}
