using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>A running client, and servers that are replaced by another version, or stand side by side behind one address.</summary>
public sealed class VersionTests(ClientHost host) : IClassFixture<ClientHost>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_first_answer_of_a_server_that_was_replaced_is_an_error_and_nothing_runs()
    {
        var balancer = new Balancer(static _ => true);
        var notes = Client(balancer);
        Assert.Equal("old", (await notes.Find(7, Cancel))!.Text);
        balancer.IsOld = static _ => false;
        var runs = Services.Later.Notes.Runs;
        for (var attempt = 0; attempt < 2; attempt++)
        {
            var error = await Assert.ThrowsAsync<ContractChangedException>(async () => await notes.Find(7, Cancel));
            Assert.Equal(["the result: 'text' of Note is not there any more"], error.Changes);
            Assert.False(error.HasRun);
        }

        Assert.Equal(runs, Services.Later.Notes.Runs);
        Assert.Equal(3, balancer.Requests.Count);
    }

    [Fact]
    public async Task Behind_one_address_with_both_versions_only_their_own_answers_are_read()
    {
        var balancer = new Balancer(static number => number % 2 == 0);
        var notes = Client(balancer);
        for (var call = 0; call < 10; call++)
        {
            if (call % 2 == 0)
            {
                Assert.Equal("old", (await notes.Find(7, Cancel))!.Text);
            }
            else
            {
                await Assert.ThrowsAsync<ContractChangedException>(async () => await notes.Find(7, Cancel));
            }
        }
    }

    [Fact]
    public async Task A_difference_that_does_not_matter_costs_one_request_once_behind_both_versions()
    {
        var balancer = new Balancer(static number => number % 2 == 0);
        var notes = Client(balancer);
        for (var call = 0; call < 20; call++)
        {
            var tag = await notes.First(Cancel);
            Assert.Equal(balancer.Requests.Count % 2 == 1 ? "old" : "new", tag.Name);
        }

        // Another test's client may have compared them before: what is known of an operation is shared.
        Assert.InRange(balancer.Requests.Count, 20, 21);
        Assert.Equal(2, balancer.Requests[^1].Split('.').Length);
    }

    [Fact]
    public async Task A_stream_that_continues_at_another_version_ends_in_the_error()
    {
        var balancer = new Balancer(static number => number == 0);
        var read = new List<string?>();
        var runs = Services.Later.Notes.Runs;
        var error = await Assert.ThrowsAsync<ContractChangedException>(async () =>
        {
            await foreach (var note in Client(balancer).Watch(0, Cancel))
            {
                read.Add(note.Text);
            }
        });
        Assert.Equal(["old", "old"], read);
        Assert.Equal(["the result: 'text' of Note is not there any more"], error.Changes);
        Assert.Equal(runs, Services.Later.Notes.Runs);
    }

    [Fact]
    public async Task A_stream_continues_at_another_version_whose_difference_does_not_matter()
    {
        var balancer = new Balancer(static number => number == 0);
        var read = new List<string>();
        await foreach (var tag in Client(balancer).Tags(0, Cancel))
        {
            read.Add(tag.Name);
        }

        Assert.Equal(["old", "old", "new 2", "new 3"], read);
    }

    [Fact]
    public async Task A_body_that_is_sent_once_is_sent_and_the_answer_is_compared()
    {
        var balancer = new Balancer(static _ => false);
        var notes = Client(balancer);
        Assert.Equal("text", (await notes.Import(Body("text"), Cancel)).Name);
        Assert.Equal("more", (await notes.Import(Body("more"), Cancel)).Name);
        Assert.Equal(["POST *", "POST none", "POST *"], balancer.Requests.Select(static one => one[..5] + one[(one.LastIndexOfAny(['.', '=']) + 1)..]));
        var error = await Assert.ThrowsAsync<ContractChangedException>(async () => await notes.Replace(Body("x"), Cancel));
        Assert.True(error.HasRun);
        Assert.Equal(["the result: 'text' of Note is not there any more"], error.Changes);
    }

    [Fact]
    public async Task An_answer_that_a_cache_kept_from_another_version_is_an_error()
    {
        using var http = new HttpClient(new Cached(host.Address)) { BaseAddress = host.Address };
        var error = await Assert.ThrowsAsync<ContractChangedException>(async () => await WeirClient.Create<INotes>(http).Find(7, Cancel));
        Assert.True(error.HasRun);
        Assert.Equal(["the result: 'text' of Note is not there any more"], error.Changes);
    }

    [Fact]
    public async Task The_output_cache_of_the_server_gives_no_client_the_answer_of_a_contract_that_it_does_not_know()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddWeir();
        builder.Services.AddOutputCache();
        await using var app = builder.Build();
        app.UseOutputCache();
        app.MapWeir().CacheOutput();
        await app.StartAsync(Cancel);
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        foreach (var path in (string[])["Notes/First", "Notes/Find?id=7"])
        {
            // A caller that is no generated client.
            Assert.NotEmpty(await http.GetStringAsync(path, Cancel));
        }

        var notes = WeirClient.Create<INotes>(http);
        Assert.Equal("new", (await notes.First(Cancel)).Name);
        Assert.Equal("new", (await notes.First(Cancel)).Name);
        Assert.True((await Assert.ThrowsAsync<ContractChangedException>(async () => await notes.Find(7, Cancel))).HasRun);
    }

    [Fact]
    public async Task A_server_says_by_which_contract_it_answered_to_clients_that_ask_and_that_caches_must_keep_such_answers_apart()
    {
        using var plain = await host.Http.GetAsync(new Uri(host.Address + "/Notes/First"), Cancel);
        Assert.False(plain.Headers.Contains("Weir-Signature"));
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(host.Address + "/Notes/First"));
        request.Headers.TryAddWithoutValidation("Accept", "application/json; q=0.9; signature=0123456789abcdef.*, text/plain");
        using var response = await host.Http.SendAsync(request, Cancel);
        Assert.Matches("^[0-9a-f]{16}$", response.Headers.GetValues("Weir-Signature").Single());
        Assert.Equal(["Accept"], response.Headers.Vary);
    }

    private INotes Client(Balancer balancer)
    {
        balancer.InnerHandler = new SocketsHttpHandler();
        return WeirClient.Create<INotes>(new HttpClient(balancer) { BaseAddress = host.Address });
    }

    private static MemoryStream Body(string text) => new(Encoding.UTF8.GetBytes(text));

    // Passes each request to the real server, which is the later version, or answers it as the old one.
    private sealed class Balancer(Func<int, bool> isOld) : DelegatingHandler
    {
        internal Func<int, bool> IsOld { get; set; } = isOld;

        internal List<string> Requests { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var accept = request.Headers.NonValidated["Accept"].ToString();
            Requests.Add($"{request.Method} {accept}");
            if (!IsOld(Requests.Count - 1))
            {
                return base.SendAsync(request, cancellationToken);
            }

            // The first hash is that of the client's own contract.
            var own = accept[(accept.IndexOf("signature=", StringComparison.Ordinal) + 10)..][..16];
            var (type, body) = request.RequestUri!.Segments[^1] switch
            {
                "Find" => ("application/json", """{"id":7,"text":"old"}"""),
                "First" => ("application/json", """{"name":"old"}"""),
                "Watch" => ("application/x-ndjson; weir=1", "{\"id\":0,\"text\":\"old\"}\n{\"id\":1,\"text\":\"old\"}\n"),
                _ => ("application/x-ndjson; weir=1", "{\"name\":\"old\"}\n{\"name\":\"old\"}\n"),
            };
            var response = new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(body) };
            response.Content.Headers.Remove("Content-Type");
            response.Content.Headers.TryAddWithoutValidation("Content-Type", type);
            response.Headers.Add("Weir-Signature", own);
            return Task.FromResult(response);
        }
    }

    // Answers as a cache does that does not look at Vary, and passes what must not be cached.
    private sealed class Cached(Uri address) : DelegatingHandler(new SocketsHttpHandler())
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            if (request.Headers.CacheControl?.NoCache == true)
            {
                return base.SendAsync(request, cancellationToken);
            }

            var kept = new HttpRequestMessage(HttpMethod.Get, new Uri(address + "/Notes/Find?id=7"));
            kept.Headers.TryAddWithoutValidation("Accept", "*/*;signature=0123456789abcdef.*");
            return base.SendAsync(kept, cancellationToken);
        }
    }
}
