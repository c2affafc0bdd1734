using System.Security.Claims;
using System.Text.Json;

namespace Weir.Jobs.Tests.Http;

/// <summary>Jobs are cancelled over HTTP, in every state and from the application's own pages only.</summary>
public sealed class CancelTests(SharedHost shared) : IClassFixture<SharedHost>
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private HttpHost Host => shared.Host;

    [Fact]
    public async Task A_job_that_waits_is_cancelled_at_once()
    {
        await using var host = await HttpHost.StartAsync(new() { Jobs = static jobs => jobs.Run = false });
        var ready = await host.SubmitAsync("Answers/Text", """{"text":"x"}""");
        Assert.Equal((200, "cancelled", null), await CancelAsync(host, ready));
        Assert.Equal((200, "cancelled", null), await CancelAsync(host, ready));
        var scheduled = await host.Get<IJobs<IAnswersClient>>().EnqueueAsync(answers => answers.Text("later"), new JobOptions { After = TimeSpan.FromHours(1), Owner = HeaderAuthentication.Principal("ann").JobOwner() }, Ct);
        Assert.Equal((200, "cancelled", null), await CancelAsync(host, $"/$jobs/{scheduled.Id}", "ann"));
    }

    [Fact]
    public async Task A_job_that_runs_is_cancelled_when_its_code_has_ended()
    {
        var address = await Host.SubmitAsync("Answers/Deaf", """{"gate":"deaf"}""");
        await HttpHost.UntilAsync(() => Task.FromResult(Host.Board.Lines.Contains("deaf deaf")));
        Assert.Equal((202, "running", "cancel"), await CancelAsync(Host, address));
        Assert.Equal((202, "running", "cancel"), await CancelAsync(Host, address));
        Assert.Equal("cancel", (await Host.JobAsync(address)).GetProperty("stopping").GetString());
        Host.Board.Open("deaf");
        var ended = await Host.EndAsync(address);
        Assert.True(ended.GetProperty("state").GetString() is "cancelled" or "succeeded", $"{ended}");
        Assert.Equal((200, ended.GetProperty("state").GetString(), null), await CancelAsync(Host, address));
    }

    [Fact]
    public async Task A_job_that_listens_to_its_token_ends_as_cancelled()
    {
        var address = await Host.SubmitAsync("Answers/Gated", """{"gate":"listens"}""");
        await HttpHost.UntilAsync(() => Task.FromResult(Host.Board.Lines.Contains("gated listens")));
        var (status, _, _) = await CancelAsync(Host, address);
        Assert.True(status is 202 or 200, $"{status}");
        Assert.Equal("cancelled", (await Host.EndAsync(address)).GetProperty("state").GetString());
    }

    [Theory]
    [InlineData("Text", """{"text":"x"}""", "succeeded")]
    [InlineData("Fails", "{}", "failed")]
    public async Task A_job_that_has_ended_stays_as_it_is(string operation, string json, string state)
    {
        var address = await Host.SubmitAsync($"Answers/{operation}", json);
        var before = await Host.EndAsync(address);
        Assert.Equal((200, state, null), await CancelAsync(Host, address));
        Assert.Equal(before.GetProperty("ended").GetString(), (await Host.JobAsync(address)).GetProperty("ended").GetString());
    }

    [Theory]
    [InlineData(false, "Sec-Fetch-Site: cross-site")]
    [InlineData(false, "Sec-Fetch-Site: same-site")]
    [InlineData(false, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: same-origin")]
    [InlineData(false, "Sec-Fetch-Site: nonsense")]
    [InlineData(false, "Sec-Fetch-Site: cross-site", "Origin: {own}")]
    [InlineData(false, "Origin: https://evil.example")]
    [InlineData(false, "Origin: null")]
    [InlineData(false, "Origin: {own}0")]
    [InlineData(true)]
    [InlineData(true, "Sec-Fetch-Site: same-origin")]
    [InlineData(true, "Sec-Fetch-Site: none")]
    [InlineData(true, "Origin: {own}")]
    [InlineData(true, "Sec-Fetch-Site: same-origin", "Origin: {own}")]
    public async Task A_page_of_another_site_changes_no_job_and_may_read(bool isAllowed, params string[] headers)
    {
        headers = [.. headers.Select(header => header.Replace("{own}", Host.Address.ToString().TrimEnd('/'), StringComparison.Ordinal))];
        var gate = $"site {isAllowed} {string.Join(' ', headers)}";
        var address = await Host.SubmitAsync("Answers/Gated", $$"""{"gate":"{{gate}}"}""");
        foreach (var path in new[] { address, $"{address}/result" })
        {
            using var read = await Host.GetAsync(path, null, headers);
            Assert.True(read.IsSuccessStatusCode);
        }

        foreach (var (verb, path, json) in new[]
        {
            ("POST", $"{address}/cancel", null), ("POST", $"{address}/retry", null), ("PUT", $"{address}/arguments", """{"gate":"other"}"""), ("DELETE", address, null),
            ("POST", "/$jobs/kinds/Answers/Text/resume", null), ("POST", "/$jobs/schedules/Controlled/Yearly/resume", null),
        })
        {
            using var response = await Host.SendAsync(new HttpMethod(verb), path, HttpHost.Operator, json, headers);
            if (isAllowed)
            {
                Assert.NotEqual(403, (int)response.StatusCode);
            }
            else
            {
                Assert.Equal((403, WeirCodes.CrossSiteRefused), await HttpHost.ProblemAsync(response));
            }
        }

        if (!isAllowed)
        {
            Assert.Equal(JsonValueKind.Null, (await Host.JobAsync(address)).GetProperty("stopping").ValueKind);
        }

        Host.Board.Open(gate);
        if (!isAllowed)
        {
            Assert.Equal("succeeded", (await Host.EndAsync(address)).GetProperty("state").GetString());
        }
    }

    [Fact]
    public Task Jobs_that_are_cancelled_at_random_moments_end_as_cancelled_or_succeeded_and_no_code_runs_afterwards() => CancelAtRandomAsync(300);

    [Fact, Trait("Kind", "Long")]
    public Task Ten_thousand_jobs_that_are_cancelled_at_random_moments_end_as_cancelled_or_succeeded_and_no_code_runs_afterwards() => CancelAtRandomAsync(10_000);

    private static async Task CancelAtRandomAsync(int count)
    {
        await using var host = await HttpHost.StartAsync(new() { Jobs = static jobs => jobs.Kind("Answers/Work").Concurrency = 8 });
        var states = new System.Collections.Concurrent.ConcurrentBag<(string? State, string? Reason, bool IsInside)>();
        await Parallel.ForEachAsync(Enumerable.Range(0, count), new ParallelOptions { MaxDegreeOfParallelism = 16, CancellationToken = Ct }, async (index, _) =>
        {
            var random = new Random(index);
            var address = await host.SubmitAsync("Answers/Work", $$"""{"steps":{{random.Next(12)}}}""");
            for (var asked = random.Next(4); asked > 0; asked--)
            {
                await Task.Delay(random.Next(4), Ct);
                var (status, _, _) = await CancelAsync(host, address);
                Assert.True(status is 200 or 202, $"{status}");
            }

            (await host.PostAsync($"{address}/cancel")).Dispose();
            var job = await host.EndAsync(address);
            states.Add((job.GetProperty("state").GetString(), job.GetProperty("reason").GetString(), host.Board.Inside.ContainsKey(job.GetProperty("id").GetGuid())));
        });
        Assert.Equal(count, states.Count);
        Assert.All(states, static one => Assert.Contains(one, new (string?, string?, bool)[] { ("cancelled", null, false), ("succeeded", null, false) }));
        Assert.Contains(states, static one => one.State == "cancelled");
        Assert.Contains(states, static one => one.State == "succeeded");
        Assert.Empty(host.Board.Inside);
    }

    private static async Task<(int Status, string? State, string? Stopping)> CancelAsync(HttpHost host, string address, string? user = null)
    {
        using var response = await host.PostAsync($"{address}/cancel", user);
        var job = await HttpHost.JsonAsync(response);
        return ((int)response.StatusCode, job.GetProperty("state").GetString(), job.GetProperty("stopping").GetString());
    }
}
