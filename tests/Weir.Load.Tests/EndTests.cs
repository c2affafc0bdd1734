using static Weir.Load.Tests.Loads;

namespace Weir.Load.Tests;

/// <summary>How requests and whole load tests end over both engines: with servers that do what no good server does, and early.</summary>
public sealed class EndTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_server_that_is_not_there_is_an_exception(bool isRaw)
    {
        var server = ScriptedServer.Answering(ScriptedServer.Ok);
        var address = server.Address;
        await server.DisposeAsync();
        var failure = await Assert.ThrowsAsync<HttpRequestException>(() => RunAsync(isRaw, new LoadOptions { Address = address, Requests = 10 }));
        Assert.Equal(HttpRequestError.ConnectionError, failure.HttpRequestError);
        Assert.Contains("connection refused", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task Connections_that_are_closed_within_a_response_are_errors_and_are_opened_again(bool isRaw)
    {
        await using var server = new ScriptedServer(static async (number, connection) =>
        {
            await ScriptedServer.SendAsync(connection, number % 3 == 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf" : ScriptedServer.Ok);
            if (number % 3 == 0)
            {
                connection.Shutdown(System.Net.Sockets.SocketShutdown.Both);
            }
        });
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Requests = 30 });
        Assert.Equal((30, 10), (report.Requests, report.Errors));
        Assert.Equal(10, report.ErrorsByKind["connection closed"]);
        Assert.Equal(20, report.ServiceTime.Count);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_server_that_goes_away_is_refused_connections(bool isRaw)
    {
        var server = default(ScriptedServer);
        await using (server = new ScriptedServer(async (number, connection) =>
        {
            if (number == 5)
            {
                await server!.DisposeAsync();
                return;
            }

            await ScriptedServer.SendAsync(connection, ScriptedServer.Ok);
        }))
        {
            var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 10 });
            Assert.Equal((10, 6), (report.Requests, report.Errors));

            // The client sends a request again whose connection was closed before a byte of its response.
            Assert.Equal(isRaw ? 5 : 6, report.ErrorsByKind["connection refused"]);
        }
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_request_without_an_answer_times_out_and_counts_with_the_time_it_took(bool isRaw)
    {
        await using var server = new ScriptedServer(static (number, connection) => number == 2 ? Task.CompletedTask : ScriptedServer.SendAsync(connection, ScriptedServer.Ok));
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 5, Timeout = TimeSpan.FromMilliseconds(300) });
        Assert.Equal((5, 1), (report.Requests, report.Errors));
        Assert.Equal(1, report.ErrorsByKind["timed out"]);
        Assert.Equal(5, report.ServiceTime.Count);

        // The client's limit is a timer of the runtime, which counts whole milliseconds of a clock with ticks of 4 ms: it may fire 5 ms early.
        var least = isRaw ? 299 : 294;
        Assert.True(report.ServiceTime.Max >= least, $"the longest is {report.ServiceTime.Max} ms");
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task An_open_load_that_the_server_never_answers_ends_and_counts_everything_that_was_due(bool isRaw)
    {
        await using var server = new ScriptedServer(static (_, _) => Task.CompletedTask);
        var report = await RunAsync(isRaw, new LoadOptions
        {
            Address = server.Address,
            Connections = 2,
            Rate = 100,
            Duration = TimeSpan.FromSeconds(0.3),
            Timeout = TimeSpan.FromMilliseconds(300),
        });
        Assert.Equal((30, 30), (report.Requests, report.Errors));
        Assert.Equal(30, report.ErrorsByKind.Values.Sum());
        Assert.True(report.ErrorsByKind["not sent"] > 0);
        Assert.True(report.ResponseTime.P50 >= 299, $"p50 is {report.ResponseTime.P50} ms");
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task Cancellation_ends_the_test_and_every_connection(bool isRaw)
    {
        await using var server = new ScriptedServer(static (_, _) => Task.CompletedTask);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Token);
        var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 5, Duration = TimeSpan.FromMinutes(5) }, cancellation.Token);
        await UntilAsync(() => server.Requests == 5);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run);
        await UntilAsync(() => server.Open == 0);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_closed_load_that_is_stopped_reports_what_ended_until_then(bool isRaw)
    {
        await using var server = new ScriptedServer(static (number, connection) => number > 100 ? Task.CompletedTask : ScriptedServer.SendAsync(connection, ScriptedServer.Ok));
        using var stopping = new CancellationTokenSource();
        var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 5, Duration = TimeSpan.FromMinutes(5) }, stopping: stopping.Token);
        await UntilAsync(() => server.Requests == 105);
        await stopping.CancelAsync();
        var report = await run;
        Assert.Equal((100, 0, 5, true), (report.Requests, report.Errors, report.Unfinished, report.IsStopped));
        Assert.Equal(100, report.ServiceTime.Count);
        Assert.InRange(report.Seconds, 0.0001, 60);
        Assert.Equal(100 / report.Seconds, report.Rate, 0.001);
        await UntilAsync(() => server.Open == 0);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task An_open_load_that_is_stopped_counts_what_was_due_and_had_not_ended(bool isRaw)
    {
        // Two requests are in flight; what is due after them has no connection.
        await using var server = new ScriptedServer(static (number, connection) => number > 10 ? Task.CompletedTask : ScriptedServer.SendAsync(connection, ScriptedServer.Ok));
        using var stopping = new CancellationTokenSource();
        var watch = System.Diagnostics.Stopwatch.StartNew();
        var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Rate = 200, Duration = TimeSpan.FromMinutes(5) }, stopping: stopping.Token);
        await UntilAsync(() => server.Requests == 12);
        await Task.Delay(100, Token);
        await stopping.CancelAsync();
        var report = await run;
        Assert.Equal((10, 0, true), (report.Requests, report.Errors, report.IsStopped));
        Assert.InRange(report.Unfinished, 2 + 19, (200 * watch.Elapsed.TotalSeconds) - 9);
        Assert.InRange(report.Seconds, 0.1, watch.Elapsed.TotalSeconds);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_load_that_is_stopped_in_its_warm_up_has_measured_nothing(bool isRaw)
    {
        await using var server = ScriptedServer.Answering(ScriptedServer.Ok);
        foreach (var rate in (double?[])[null, 200])
        {
            using var stopping = new CancellationTokenSource();
            var seen = server.Requests;
            var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Rate = rate, WarmUp = TimeSpan.FromMinutes(5) }, stopping: stopping.Token);
            await UntilAsync(() => server.Requests > seen + 3);
            await stopping.CancelAsync();
            var report = await run;
            Assert.Equal((0, 0, 0.0, 0.0, true), (report.Requests, report.Unfinished, report.Seconds, report.Rate, report.IsStopped));
        }
    }

    [Fact]
    public async Task A_load_that_is_stopped_before_it_begins_is_cancelled()
    {
        await using var server = ScriptedServer.Answering(ScriptedServer.Ok);
        var options = new LoadOptions { Address = server.Address };
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => LoadTest.RunAsync(options, null, new CancellationToken(canceled: true), Token));
        Assert.Equal(0, server.Requests);
    }
}
