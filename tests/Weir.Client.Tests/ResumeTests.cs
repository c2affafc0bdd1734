using System.Net;
using System.Net.Http.Headers;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>A stream marked [Resumable] continues after a cut without a gap and without a repeat.</summary>
public sealed class ResumeTests(ClientHost host) : IClassFixture<ClientHost>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0)]
    [InlineData(1_234)]
    public async Task Through_random_cuts_every_item_comes_once_and_in_order(long from)
    {
        const int Items = 50_000;
        var random = new Random(11);
        var cuts = 0;
        await using var proxy = new CuttingProxy(host.Address, () => (random.Next(100, 30_000), cuts++ % 2 == 0));
        var states = new List<StreamState>();
        using var http = new HttpClient { BaseAddress = proxy.Address };
        var journal = WeirClient.Create<IJournal>(http, new WeirClientOptions { MaxResumeAttempts = null, StreamStateChanged = states.Add });
        var next = from;
        await foreach (var line in journal.Lines(Items, from, Cancel))
        {
            Assert.Equal(next++, line);
        }

        Assert.Equal(Items, next);
        Assert.InRange(cuts, 5, 1000);
        Assert.Equal(StreamPhase.Connecting, states[0].Phase);
        Assert.Equal(from, states[0].NextIndex);
        Assert.Equal((StreamPhase.Ended, (long)Items), (states[^1].Phase, states[^1].NextIndex));
        Assert.Equal(cuts, states.Count(static one => one.Phase == StreamPhase.Live) + Unanswered());

        // A cut inside the headers brings another attempt without a response.
        int Unanswered() => states.Zip(states.Skip(1)).Count(static pair => pair.First.Phase == StreamPhase.Resuming && pair.Second.Phase == StreamPhase.Resuming);
    }

    [Fact]
    public Task Through_random_cuts_every_item_that_the_server_keeps_comes_once_and_in_order() => ReadAsync(static (journal, items) => journal.Kept(items, Cancel), 50_000, 30_000, 5);

    [Fact, Trait("Kind", "Long")]
    public Task Through_hundreds_of_cuts_a_million_items_that_the_server_keeps_come_once() => ReadAsync(static (journal, items) => journal.Kept(items, Cancel), 1_000_000, 20_000, 500);

    [Fact, Trait("Kind", "Long")]
    public Task Through_hundreds_of_cuts_a_million_items_come_once() => ReadAsync(static (journal, items) => journal.Lines(items, ct: Cancel), 1_000_000, 20_000, 500);

    [Fact]
    public async Task A_stream_of_a_source_continues_after_its_worker_was_lost()
    {
        var marker = Path.Combine(AppContext.BaseDirectory, Path.GetRandomFileName());
        var states = new List<StreamState>();
        var read = new List<long>();
        await foreach (var line in host.Client<IJournal>(new WeirClientOptions { StreamStateChanged = states.Add }).Crashing(marker, ct: Cancel))
        {
            read.Add(line);
        }

        Assert.Equal([0, 1, 2, 3, 4, 5], read);
        Assert.Equal([StreamPhase.Connecting, StreamPhase.Live, StreamPhase.Resuming, StreamPhase.Live, StreamPhase.Ended], states.Select(static one => one.Phase));
        Assert.IsType<WorkerLostException>(states[2].Cause?.InnerException);
    }

    [Fact]
    public async Task Without_attempts_and_without_a_source_a_lost_worker_ends_the_stream()
    {
        var marker = Path.Combine(AppContext.BaseDirectory, Path.GetRandomFileName());
        await Assert.ThrowsAsync<WorkerLostException>(async () => await ReadAllAsync(host.Client<IJournal>(new WeirClientOptions { MaxResumeAttempts = 0 }).Crashing(marker, ct: Cancel)));
        await Assert.ThrowsAsync<WorkerLostException>(async () => await ReadAllAsync(host.Client<IJournal>().CrashingKept(marker + "2", Cancel)));

        static async Task ReadAllAsync(IAsyncEnumerable<long> items)
        {
            await foreach (var _ in items)
            {
            }
        }
    }

    private async Task ReadAsync(Func<IJournal, int, IAsyncEnumerable<long>> read, int items, int longest, int leastCuts)
    {
        var random = new Random(12);
        var cuts = 0;
        await using var proxy = new CuttingProxy(host.Address, () => (random.Next(2_000, longest), cuts++ % 2 == 0));
        using var http = new HttpClient { BaseAddress = proxy.Address };
        var journal = WeirClient.Create<IJournal>(http, new WeirClientOptions { MaxResumeAttempts = null });
        var next = 0L;
        await foreach (var line in read(journal, items))
        {
            Assert.Equal(next++, line);
        }

        Assert.Equal(items, next);
        Assert.InRange(cuts, leastCuts, int.MaxValue);
    }

    [Fact]
    public async Task A_stream_that_the_server_does_not_keep_any_more_is_interrupted_at_the_next_item()
    {
        var answers = new Queue<Func<HttpResponseMessage>>(
        [
            static () => Answer(HttpStatusCode.OK, "application/x-ndjson; weir=1", "0\n1\n", "0123456789abcdef0123456789abcdef"),
            static () => Answer(HttpStatusCode.BadGateway, "text/plain", "down", null),
            static () => Answer(HttpStatusCode.Gone, "application/problem+json", """{"status":410,"code":"WEIR2021","detail":"gone"}""", null),
        ]);
        var asked = new List<string?>();
        using var http = new HttpClient(new Answers(request =>
        {
            asked.Add(request.Headers.TryGetValues("Last-Event-ID", out var ids) ? ids.Single() : null);
            return answers.Dequeue()();
        }))
        { BaseAddress = new Uri("http://server") };
        var read = new List<long>();
        var error = await Assert.ThrowsAsync<StreamInterruptedException>(async () =>
        {
            await foreach (var line in WeirClient.Create<IJournal>(http).Kept(5, Cancel))
            {
                read.Add(line);
            }
        });
        Assert.Equal([0, 1], read);
        Assert.Equal(2, error.NextIndex);
        Assert.Equal(410, Assert.IsAssignableFrom<WeirException>(error.InnerException).Problem!.Status);
        Assert.Equal([null, "0123456789abcdef0123456789abcdef.1", "0123456789abcdef0123456789abcdef.1"], asked);
    }

    [Fact]
    public async Task A_server_that_stops_is_asked_again_when_it_says()
    {
        var answers = new Queue<string>(["0\n{\"$weir\":{\"retry\":1,\"index\":1}}\n", "1\n{\"$weir\":{\"ok\":true,\"count\":2}}\n"]);
        using var http = new HttpClient(new Answers(_ => Answer(HttpStatusCode.OK, "application/x-ndjson; weir=1", answers.Dequeue(), null))) { BaseAddress = new Uri("http://server") };
        Assert.Equal([0, 1], await WeirClient.Create<IJournal>(http).Lines(2, ct: Cancel).ToListAsync(Cancel));
        Assert.Empty(answers);
    }

    [Fact]
    public async Task It_fails_where_the_operation_fails()
    {
        var random = new Random(3);
        await using var proxy = new CuttingProxy(host.Address, () => (random.Next(300, 3_000), false));
        using var http = new HttpClient { BaseAddress = proxy.Address };
        var journal = WeirClient.Create<IJournal>(http, new WeirClientOptions { MaxResumeAttempts = null });
        var next = 0;
        await Assert.ThrowsAsync<ProblemException>(async () =>
        {
            await foreach (var line in journal.Failing(2_000, ct: Cancel))
            {
                Assert.Equal($"{next++}", line);
            }
        });
        Assert.Equal(2_000, next);
    }

    [Fact]
    public async Task It_is_given_up_after_the_attempts_of_the_options()
    {
        var cuts = 0;
        await using var proxy = new CuttingProxy(host.Address, () => (cuts++ == 0 ? 2_000 : 0, false));
        using var http = new HttpClient { BaseAddress = proxy.Address };
        var states = new List<StreamState>();
        var journal = WeirClient.Create<IJournal>(http, new WeirClientOptions { MaxResumeAttempts = 2, StreamStateChanged = states.Add });
        var next = 0L;
        var error = await Assert.ThrowsAsync<StreamInterruptedException>(async () =>
        {
            await foreach (var line in journal.Lines(50_000, ct: Cancel))
            {
                Assert.Equal(next++, line);
            }
        });
        Assert.Equal(next, error.NextIndex);
        Assert.Equal([1, 2], states.Where(static one => one.Phase == StreamPhase.Resuming).Select(static one => one.Attempt));
        Assert.Same(error, states[^1].Cause);
    }

    [Fact]
    public async Task Leaving_while_it_waits_ends_it()
    {
        await using var proxy = new CuttingProxy(host.Address, () => (2_000, false));
        using var http = new HttpClient { BaseAddress = proxy.Address };
        using var leaving = new CancellationTokenSource();
        var journal = WeirClient.Create<IJournal>(http, new WeirClientOptions
        {
            StreamStateChanged = state =>
            {
                if (state.Phase == StreamPhase.Resuming)
                {
                    leaving.Cancel();
                }
            },
        });
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await journal.Lines(50_000, ct: leaving.Token).ToListAsync(Cancel));
    }

    [Fact]
    public async Task A_stream_that_the_options_do_not_continue_is_interrupted()
    {
        await using var proxy = new CuttingProxy(host.Address, static () => (2_000, false));
        using var http = new HttpClient { BaseAddress = proxy.Address };
        await Assert.ThrowsAsync<StreamInterruptedException>(
            async () => await WeirClient.Create<IJournal>(http, new WeirClientOptions { MaxResumeAttempts = 0 }).Lines(50_000, ct: Cancel).ToListAsync(Cancel));
    }

    private static HttpResponseMessage Answer(HttpStatusCode status, string type, string body, string? stream)
    {
        var response = new HttpResponseMessage(status) { Content = new StringContent(body) };
        response.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(type);
        if (stream is not null)
        {
            response.Headers.Add("Weir-Stream", stream);
        }

        return response;
    }

    private sealed class Answers(Func<HttpRequestMessage, HttpResponseMessage> answer) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) => Task.FromResult(answer(request));
    }
}
