using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Jobs.Tests.Running;
using Weir.Jobs.Tests.Sqlite;

namespace Weir.Jobs.Tests.Http;

/// <summary>Readers and waiters of a host that stops continue on the next one.</summary>
public sealed class RestartTests : IDisposable
{
    private readonly StoreDirectory _files = new();

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public void Dispose() => _files.Dispose();

    [Fact]
    public async Task A_reader_of_a_host_that_stops_continues_on_the_next_without_a_gap()
    {
        const int count = 30;
        var board = new Board();
        var (seen, last, address) = (new List<long>(), (string?)null, "");
        for (var run = 0; run < 3; run++)
        {
            await using var host = await StartAsync(board);
            if (run == 0)
            {
                address = await host.SubmitAsync("Answers/Pages", $$"""{"count":{{count}},"gate":"restart","gatedFrom":0}""", "ann");
            }

            // A response begins with its first item.
            board.Open($"restart {run * 10}");
            using var stream = await ItemStream.OpenAsync(host, address, last, "ann");
            var end = (run + 1) * 10;
            for (var index = run * 10; index < end; index++)
            {
                board.Open($"restart {index}");
                var next = (await stream.NextAsync())!;
                Assert.Null(next.Name);
                seen.Add(next.Index);
                last = next.Id;
            }

            if (run < 2)
            {
                var stopping = host.StopAsync();

                // An event without data moves the reader: it is not the end of the stream.
                var moved = Assert.Single(await stream.RestAsync());
                Assert.Equal((last, null, ""), (moved.Id, moved.Name, moved.Data));
                await stopping;
            }
            else
            {
                Assert.Equal(("end", $$"""{"count":{{count}}}"""), (await stream.NextAsync() is { } final ? (final.Name, final.Data) : default));
            }
        }

        Assert.Equal(Enumerable.Range(0, count).Select(static index => (long)index), seen);
    }

    [Fact]
    public async Task A_request_that_waits_is_answered_when_the_host_stops_and_waits_on_with_the_next()
    {
        var board = new Board();
        string address;
        await using (var host = await StartAsync(board))
        {
            address = await host.SubmitAsync("Answers/Pages", """{"count":1,"gate":"poll","gatedFrom":0}""");
            var waiting = host.GetAsync(address, null, "Prefer: wait=60");
            await HttpHost.UntilAsync(() => Task.FromResult(host.Http.Waits.Count == 1));
            var stopping = host.StopAsync();
            using var response = await waiting;
            Assert.Equal(200, (int)response.StatusCode);
            Assert.Equal(System.Text.Json.JsonValueKind.Null, (await HttpHost.JsonAsync(response)).GetProperty("ended").ValueKind);
            await stopping;
        }

        await using var next = await StartAsync(board);
        board.Open("poll 0");
        Assert.Equal("succeeded", (await next.EndAsync(address)).GetProperty("state").GetString());
    }

    [Fact]
    public async Task What_a_host_has_stored_is_what_the_next_answers()
    {
        var addresses = new List<(string Address, DirectAnswer Before)>();
        await using (var host = await StartAsync(new Board()))
        {
            foreach (var (operation, json) in new[] { ("Chosen", """{"text":"kept"}"""), ("Bytes", """{"count":300000}"""), ("Declared", """{"why":"kept"}"""), ("Refuses", """{"content":"kept"}"""), ("Chunks", """{"count":3}""") })
            {
                var address = await host.SubmitAsync($"Answers/{operation}", json, "ann");
                await host.EndAsync(address, "ann");
                addresses.Add((address, await DirectAnswer.OfAsync(await host.GetAsync($"{address}/result", "ann"))));
            }
        }

        await using var next = await StartAsync(new Board());
        foreach (var (address, before) in addresses)
        {
            Assert.Equal(before, await DirectAnswer.OfAsync(await next.GetAsync($"{address}/result", "ann")));
            Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await next.GetAsync($"{address}/result", "bob")));
        }
    }

    [Theory]
    [InlineData("application/x-ndjson; weir=1")]
    [InlineData("text/event-stream")]
    public async Task A_reader_of_a_job_that_waits_does_not_keep_a_host_from_its_end(string format)
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Jobs = static jobs => jobs.Run = false,

            // It would wait for its readers without a limit. A response begins with its first heartbeat.
            Services = static services => services
                .Configure<HostOptions>(static options => options.ShutdownTimeout = Timeout.InfiniteTimeSpan)
                .Configure<WeirServerOptions>(static options => options.HeartbeatInterval = TimeSpan.FromMilliseconds(20)),
        });
        var address = await host.SubmitAsync("Answers/Pages", """{"count":1}""");
        using var response = await host.GetAsync($"{address}/items", null, $"Accept: {format}");
        Assert.Equal(200, (int)response.StatusCode);
        await host.StopAsync();
        Assert.True(host.Get<IHostApplicationLifetime>().ApplicationStopped.IsCancellationRequested);
        Assert.Contains("retry", await response.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("application/x-ndjson")]
    [InlineData("application/json")]
    [InlineData("application/octet-stream")]
    public async Task A_reader_that_cannot_continue_gets_the_rest_of_a_job_that_ends_while_the_host_stops(string format)
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Jobs = static jobs => jobs.DrainTimeout = TimeSpan.FromSeconds(40),
            Services = static services => services.Configure<HostOptions>(static options => options.ShutdownTimeout = Timeout.InfiniteTimeSpan),
        });
        var operation = format == "application/octet-stream" ? "GatedChunks" : "Pages";
        var address = await host.SubmitAsync($"Answers/{operation}", """{"count":3,"gate":"drain","gatedFrom":1}""");
        using var response = await host.GetAsync($"{address}/items", null, $"Accept: {format}");
        var stopping = host.StopAsync();
        host.Board.Open("drain 1");
        host.Board.Open("drain 2");
        var body = await response.Content.ReadAsStringAsync(Ct);
        Assert.Equal(3, body.Split(operation == "Pages" ? "\"page\"" : "\n").Length - 1);
        await stopping;
    }

    private Task<HttpHost> StartAsync(Board board) => HttpHost.StartAsync(new()
    {
        Board = board,
        Jobs = jobs => jobs.UseSqlite(_files.File),
    });
}
