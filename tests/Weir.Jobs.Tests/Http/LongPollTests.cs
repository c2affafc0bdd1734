using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Jobs.Tests.Http;

/// <summary>Requests that wait for the end of a job.</summary>
public sealed class LongPollTests(SharedHost shared) : IClassFixture<SharedHost>
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private HttpHost Host => shared.Host;

    [Theory]
    [InlineData("")]
    [InlineData("/result")]
    public async Task A_request_that_waits_is_answered_when_the_job_has_ended(string path)
    {
        var gate = $"ends {path}";
        await using var host = await HttpHost.StartAsync();
        var address = await host.SubmitAsync("Answers/Gated", $$"""{"gate":"{{gate}}"}""");
        var waits = await WaitAsync(host, address + path, 1, 60);
        Assert.False(waits[0].IsCompleted);
        host.Board.Open(gate);
        using var response = await waits[0];
        Assert.Equal((200, "wait=60"), ((int)response.StatusCode, HttpHost.Header(response, "Preference-Applied")));
        var body = await response.Content.ReadAsStringAsync(Ct);
        Assert.Contains(path.Length == 0 ? "succeeded" : gate, body, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_has_waited_as_long_as_it_wants_gets_the_job_as_it_is()
    {
        var address = await Host.SubmitAsync("Answers/Gated", """{"gate":"timeout"}""");
        using var response = await Host.GetAsync(address, null, "Prefer: wait=1");
        Assert.Equal((200, "wait=1"), ((int)response.StatusCode, HttpHost.Header(response, "Preference-Applied")));
        Assert.Equal("running", (await HttpHost.JsonAsync(response)).GetProperty("state").GetString());
        using var result = await Host.GetAsync($"{address}/result", null, "Prefer: wait=1");
        Assert.Equal((202, "wait=1", address), ((int)result.StatusCode, HttpHost.Header(result, "Preference-Applied"), result.Headers.Location!.OriginalString));
        Host.Board.Open("timeout");
    }

    [Theory]
    [InlineData("wait=0", null)]
    [InlineData("wait=x", null)]
    [InlineData("wait=-1", null)]
    [InlineData("respond-async", null)]
    public async Task A_request_that_does_not_wait_is_answered_at_once(string preference, string? applied)
    {
        var gate = $"at once {preference}";
        var address = await Host.SubmitAsync("Answers/Gated", $$"""{"gate":"{{gate}}"}""");
        using var response = await Host.GetAsync(address, null, $"Prefer: {preference}");
        Assert.Equal((200, applied), ((int)response.StatusCode, HttpHost.Header(response, "Preference-Applied")));
        Host.Board.Open(gate);
    }

    [Fact]
    public async Task More_requests_than_may_wait_are_answered_at_once()
    {
        await using var host = await HttpHost.StartAsync();
        Assert.Equal(1_000, host.Http.Waits.Most);
        host.Http.Waits.Most = 20;
        var address = await host.SubmitAsync("Answers/Gated", """{"gate":"many"}""");
        var waits = await WaitAsync(host, address, 20, 60);
        foreach (var path in new[] { address, $"{address}/result" })
        {
            using var refused = await host.GetAsync(path, null, "Prefer: wait=60");
            Assert.Equal(("1", null), (HttpHost.Header(refused, "Retry-After"), HttpHost.Header(refused, "Preference-Applied")));
            Assert.True(refused.IsSuccessStatusCode);
        }

        using (var submitted = await host.PostAsync("/Answers/Text", null, """{"text":"x"}""", "Prefer: respond-async, wait=60"))
        {
            Assert.True((int)submitted.StatusCode is 202 or 200, $"{submitted.StatusCode}");
        }

        host.Board.Open("many");
        foreach (var request in waits)
        {
            using var response = await request;
            Assert.Equal("wait=60", HttpHost.Header(response, "Preference-Applied"));
        }

        Assert.Equal(0, host.Http.Waits.Count);
    }

    [Fact]
    public async Task A_disconnect_ends_the_wait_and_not_the_job()
    {
        await using var host = await HttpHost.StartAsync();
        var address = await host.SubmitAsync("Answers/Gated", """{"gate":"left"}""");
        using var leaving = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var polling = host.SendAsync(HttpHost.Request(HttpMethod.Get, address, null, null, "Prefer: wait=60"), leaving.Token);
        var submitting = host.SendAsync(HttpHost.Request(HttpMethod.Post, "/Answers/Gated", null, """{"gate":"left"}""", "Prefer: respond-async, wait=60"), leaving.Token);
        await HttpHost.UntilAsync(() => Task.FromResult(host.Http.Waits.Count == 2));
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => polling);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => submitting);
        await HttpHost.UntilAsync(() => Task.FromResult(host.Http.Waits.Count == 0));
        var jobs = await host.Jobs.ListAsync(cancellationToken: Ct);
        Assert.All(jobs, static job => Assert.Equal((JobState.Running, JobStop.None), (job.State, job.Stopping)));
        host.Board.Open("left");
        foreach (var job in jobs)
        {
            Assert.Equal("succeeded", (await host.EndAsync($"/$jobs/{job.Id}")).GetProperty("state").GetString());
        }
    }

    [Fact]
    public async Task A_middleware_that_ends_a_request_answers_it_and_the_job_runs_on()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Services = static services => services.AddRequestTimeouts(static options => options.AddPolicy("short", TimeSpan.FromMilliseconds(50))),
            Before = static app =>
            {
                app.UseRouting();
                app.UseRequestTimeouts();
            },
            Map = static app =>
            {
                app.MapWeir();
                app.MapWeirJobs().WithRequestTimeout("short");
            },
        });
        var address = await host.SubmitAsync("Answers/Gated", """{"gate":"middleware"}""");
        using var response = await host.GetAsync(address, null, "Prefer: wait=60");
        Assert.Equal(504, (int)response.StatusCode);
        host.Board.Open("middleware");
        await HttpHost.UntilAsync(async () => (await host.Jobs.ListAsync(cancellationToken: Ct))[0].State == JobState.Succeeded);
    }

    [Theory]
    [InlineData("")]
    [InlineData("/result")]
    public async Task A_job_that_is_deleted_while_a_request_waits_for_it_is_gone(string path)
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store, Jobs = static jobs => jobs.Run = false });
        var address = await host.SubmitAsync("Answers/Text", """{"text":"x"}""");
        var waits = await WaitAsync(host, address + path, 1, 60);
        await store.DeleteUnseenAsync(host, Guid.Parse(address.Split('/')[^1]));
        Assert.Equal((410, WeirCodes.JobContentGone), await HttpHost.ProblemAsync(await waits[0]));
        Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await host.GetAsync(address + path)));
    }

    private static async Task<List<Task<HttpResponseMessage>>> WaitAsync(HttpHost host, string path, int count, int seconds)
    {
        var before = host.Http.Waits.Count;
        List<Task<HttpResponseMessage>> waits = [.. Enumerable.Range(0, count).Select(_ => host.GetAsync(path, null, $"Prefer: wait={seconds}"))];
        await HttpHost.UntilAsync(() => Task.FromResult(host.Http.Waits.Count >= before + count));
        return waits;
    }
}
