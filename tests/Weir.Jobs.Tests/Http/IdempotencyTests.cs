using System.Net.Sockets;
using System.Text;

namespace Weir.Jobs.Tests.Http;

/// <summary>Requests that are repeated with the same <c>Idempotency-Key</c>.</summary>
public sealed class IdempotencyTests(SharedHost shared) : IClassFixture<SharedHost>
{
    private const string Async = "Prefer: respond-async";

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private HttpHost Host => shared.Host;

    [Theory]
    [InlineData("ann")]
    [InlineData(null)]
    public async Task The_same_call_with_the_same_key_is_the_same_job(string? user)
    {
        var json = """{"text":"same"}""";
        var address = await Host.SubmitAsync("Answers/Text", json, user, $"Idempotency-Key: same-{user}");
        await Host.EndAsync(address, user);
        using var again = await Host.PostAsync("/Answers/Text", user, json, Async, $"Idempotency-Key: \"same-{user}\"");
        Assert.Equal((202, address, "true"), ((int)again.StatusCode, again.Headers.Location!.OriginalString, HttpHost.Header(again, "Idempotent-Replayed")));
        Assert.Equal("succeeded", (await HttpHost.JsonAsync(again)).GetProperty("state").GetString());
        using var waited = await Host.PostAsync("/Answers/Text", user, json, "Prefer: respond-async, wait=60", $"Idempotency-Key: same-{user}");
        Assert.Equal((200, "true", $"{address}/result"), ((int)waited.StatusCode, HttpHost.Header(waited, "Idempotent-Replayed"), HttpHost.Header(waited, "Content-Location")));
    }

    [Fact]
    public async Task Another_call_with_the_key_is_refused_without_naming_the_job()
    {
        var address = await Host.SubmitAsync("Answers/Text", """{"text":"one"}""", null, "Idempotency-Key: reused");
        using var refused = await Host.PostAsync("/Answers/Text", null, """{"text":"two"}""", Async, "Idempotency-Key: reused");
        Assert.DoesNotContain(address.Split('/')[^1], await refused.Content.ReadAsStringAsync(Ct), StringComparison.OrdinalIgnoreCase);
        Assert.Null(refused.Headers.Location);
        Assert.Equal((422, WeirCodes.JobKeyReused), await HttpHost.ProblemAsync(refused));
    }

    [Fact]
    public async Task A_caller_with_a_name_learns_which_of_its_jobs_has_the_key()
    {
        var address = await Host.SubmitAsync("Answers/Text", """{"text":"one"}""", "ann", "Idempotency-Key: reused");
        using var refused = await Host.PostAsync("/Answers/Text", "ann", """{"text":"two"}""", Async, "Idempotency-Key: reused");
        Assert.Equal(address, refused.Headers.Location!.OriginalString);
        Assert.Equal((422, WeirCodes.JobKeyReused), await HttpHost.ProblemAsync(refused));
    }

    [Fact]
    public async Task A_key_of_another_caller_or_of_another_kind_is_another_key()
    {
        var json = """{"text":"x"}""";
        string[] addresses =
        [
            await Host.SubmitAsync("Answers/Text", json, "ann", "Idempotency-Key: own"),
            await Host.SubmitAsync("Answers/Text", json, "bob", "Idempotency-Key: own"),
            await Host.SubmitAsync("Answers/Text", json, null, "Idempotency-Key: own"),
            await Host.SubmitAsync("Answers/Text", json, "ann;issuer=elsewhere", "Idempotency-Key: own"),
            await Host.SubmitAsync("Answers/Nothing", json, "ann", "Idempotency-Key: own"),
        ];
        Assert.Equal(5, addresses.Distinct().Count());
    }

    [Theory]
    [InlineData("Idempotency-Key: ")]
    [InlineData("Idempotency-Key: \"\"")]
    [InlineData("Idempotency-Key: two words")]
    [InlineData("Idempotency-Key: \"two words\"")]
    [InlineData("Idempotency-Key: quo\"te")]
    [InlineData("Idempotency-Key: back\\slash")]
    [InlineData("Idempotency-Key: a", "Idempotency-Key: b")]
    public async Task A_key_that_is_none_is_refused_and_nothing_is_stored(params string[] headers)
    {
        await using var host = await HttpHost.StartAsync();
        using var refused = await host.PostAsync("/Answers/Text", null, """{"text":"x"}""", [Async, .. headers]);
        Assert.Contains("Idempotency-Key", await refused.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(refused));
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Theory]
    [InlineData(200, 202)]
    [InlineData(201, 400)]
    public async Task A_key_has_at_most_200_characters(int length, int status)
    {
        using var response = await Host.PostAsync("/Answers/Text", null, """{"text":"long"}""", Async, $"Idempotency-Key: {new string('k', length)}");
        Assert.Equal(status, (int)response.StatusCode);
    }

    [Fact]
    public async Task Sixty_four_equal_requests_at_once_over_connections_of_their_own_are_one_job()
    {
        await using var host = await HttpHost.StartAsync();
        var responses = await Task.WhenAll(Enumerable.Range(0, 64).Select(async _ =>
        {
            using var client = host.NewClient();
            using var request = HttpHost.Request(HttpMethod.Post, "/Answers/Nothing", "ann", """{"text":"once"}""", Async, "Idempotency-Key: many");
            using var response = await client.SendAsync(request, Ct);
            return ((int)response.StatusCode, response.Headers.Location!.OriginalString, HttpHost.Header(response, "Idempotent-Replayed"));
        }));
        Assert.Single(responses.Select(static response => (response.Item1, response.OriginalString)).Distinct());
        Assert.Single(responses, static response => response.Item3 is null);
        Assert.Equal("succeeded", (await host.EndAsync(responses[0].OriginalString, "ann")).GetProperty("state").GetString());
        Assert.Equal(["nothing once"], host.Board.Lines);
    }

    [Fact]
    public async Task Equal_requests_whose_connections_are_cut_before_the_answer_are_one_job()
    {
        await using var host = await HttpHost.StartAsync();
        var body = """{"text":"cut"}""";
        var text = Encoding.ASCII.GetBytes(
            $"POST /Answers/Nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: ann\r\nPrefer: respond-async\r\nIdempotency-Key: cut\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n{body}");
        await Task.WhenAll(Enumerable.Range(0, 64).Select(async index =>
        {
            using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync("127.0.0.1", host.Address.Port, Ct);
            await socket.SendAsync(text, Ct);

            // Some are cut while they are read, and some when the job is stored; half of them are reset.
            if (index % 4 > 1)
            {
                await HttpHost.UntilAsync(async () => (await host.Jobs.ListAsync(cancellationToken: Ct)).Count > 0);
            }

            socket.LingerState = new LingerOption(enable: index % 2 == 0, 0);
        }));
        var address = await host.SubmitAsync("Answers/Nothing", body, "ann", "Idempotency-Key: cut");
        await host.EndAsync(address, "ann");
        Assert.Single(await host.Jobs.ListAsync(cancellationToken: Ct));
        Assert.Equal(["nothing cut"], host.Board.Lines);
    }
}
