using System.Text.Json;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>What streams promise, through a real client and a real server.</summary>
[Collection(nameof(RunningShowcase))]
public sealed class StreamTests(RunningShowcase showcase)
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(60);

    public static TheoryData<string> Producers => ["Next", "NextBlocking", "NextIsolated"];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Producers))]
    public async Task An_item_is_at_the_client_before_the_next_one_exists(string operation)
    {
        using var response = await OpenAsync($"/Weather/{operation}.ndjson?days=3&delay=600");
        using var lines = new StreamReader(await response.Content.ReadAsStreamAsync(Token));

        var arrivals = new List<long>();
        while (await lines.ReadLineAsync(Token) is { } line)
        {
            Assert.StartsWith("{\"date\":", line, StringComparison.Ordinal);
            arrivals.Add(TimeProvider.System.GetTimestamp());
        }

        // If an item were held back until the next one, two would arrive together.
        Assert.Equal(3, arrivals.Count);
        Assert.All(arrivals.Zip(arrivals.Skip(1)), static pair => Assert.InRange(TimeProvider.System.GetElapsedTime(pair.First, pair.Second).TotalMilliseconds, 150, 60_000));
    }

    [Theory]
    [MemberData(nameof(Producers))]
    public async Task A_client_that_leaves_stops_its_producer(string operation)
    {
        var before = await StoppedAsync();
        using (var response = await OpenAsync($"/Weather/{operation}.ndjson?days=100000&delay=20"))
        {
            using var lines = new StreamReader(await response.Content.ReadAsStreamAsync(Token));
            Assert.NotNull(await lines.ReadLineAsync(Token));
        }

        var stopped = await UntilAsync(counts => counts.StoppedEarly > before.StoppedEarly);
        Assert.Equal((before.Started + 1, before.Finished, before.StoppedEarly + 1), (stopped.Started, stopped.Finished, stopped.StoppedEarly));
        Assert.InRange(stopped.LastStopMs!.Value, 0, Soon.TotalMilliseconds);
    }

    [Theory]
    [MemberData(nameof(Producers))]
    public async Task A_producer_that_gave_everything_counts_as_finished(string operation)
    {
        var before = await StoppedAsync();
        await showcase.Client.GetStringAsync($"/Weather/{operation}?days=2&delay=1", Token);
        var after = await UntilAsync(counts => counts.Finished > before.Finished);
        Assert.Equal((before.Started + 1, before.Finished + 1, before.StoppedEarly), (after.Started, after.Finished, after.StoppedEarly));
    }

    [Fact]
    public async Task A_failed_stream_never_ends_like_one_that_succeeded()
    {
        using var plain = await OpenAsync("/Weather/Fail.ndjson?after=3");
        await Assert.ThrowsAnyAsync<Exception>(() => plain.Content.ReadAsStringAsync(Token));

        using var asked = new HttpRequestMessage(HttpMethod.Get, "/Weather/Fail?after=3");
        asked.Headers.Accept.ParseAdd("application/x-ndjson; weir=1");
        using var response = await showcase.Client.SendAsync(asked, Token);
        var lines = (await response.Content.ReadAsStringAsync(Token)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(4, lines.Length);
        using var ending = JsonDocument.Parse(lines[3]);
        Assert.Equal(3, ending.RootElement.GetProperty("$weir").GetProperty("index").GetInt32());
        Assert.Equal("WEIR2007", ending.RootElement.GetProperty("$weir").GetProperty("problem").GetProperty("code").GetString());
    }

    [Fact]
    public async Task A_stream_that_fails_before_its_first_item_is_an_ordinary_error()
    {
        using var response = await showcase.Client.GetAsync("/Weather/Fail?after=0", Token);
        Assert.Equal((500, "application/problem+json"), ((int)response.StatusCode, response.Content.Headers.ContentType?.MediaType));
    }

    [Fact]
    public async Task Ten_million_guids_pass_through_125_MB()
    {
        await using var fresh = await ShowcaseProcess.StartAsync();
        using var response = await fresh.Client.GetAsync("/Guids/Stream.ndjson?count=10000000", HttpCompletionOption.ResponseHeadersRead, Token);
        await using var body = await response.Content.ReadAsStreamAsync(Token);

        var buffer = new byte[1 << 16];
        var bytes = 0L;
        for (int read; (read = await body.ReadAsync(buffer, Token)) > 0;)
        {
            bytes += read;
        }

        // 36 characters, two quotes and a line feed each.
        Assert.Equal(10_000_000L * 39, bytes);
        // All items together are 390 MB; the process has 86 MB before its first request.
        Assert.InRange(PeakMegabytes(fresh.Pid), 1, 125);
    }

    private static double PeakMegabytes(int pid)
    {
        var line = File.ReadLines($"/proc/{pid}/status").Single(static line => line.StartsWith("VmHWM:", StringComparison.Ordinal));
        return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1]) / 1024.0;
    }

    private async Task<HttpResponseMessage> OpenAsync(string path)
    {
        var response = await showcase.Client.GetAsync(path, HttpCompletionOption.ResponseHeadersRead, Token);
        Assert.Equal("application/x-ndjson", response.EnsureSuccessStatusCode().Content.Headers.ContentType?.MediaType);
        return response;
    }

    private async Task<Counts> StoppedAsync() =>
        JsonSerializer.Deserialize<Counts>(await showcase.Client.GetStringAsync("/Weather/Stopped", Token), JsonSerializerOptions.Web)!;

    private async Task<Counts> UntilAsync(Func<Counts, bool> holds)
    {
        var start = TimeProvider.System.GetTimestamp();
        var counts = await StoppedAsync();
        while (!holds(counts))
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < Soon, $"It never came to that: {counts}");
            await Task.Delay(TimeSpan.FromMilliseconds(20), TimeProvider.System, Token);
            counts = await StoppedAsync();
        }

        return counts;
    }

    private sealed record Counts(long Started, long Finished, long StoppedEarly, double? LastStopMs);
}
