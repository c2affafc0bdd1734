using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Load.Tests;

public sealed class ReactorTests
{
    private static readonly TimeSpan Stall = TimeSpan.FromMilliseconds(300);

    [Theory]
    [InlineData(1, 1)]
    [InlineData(3, 8)]
    public async Task A_closed_load_counts_every_response(int connections, int depth)
    {
        using var server = new StallingServer(stallAt: 0, Stall);
        using var reactor = new Reactor(server.EndPoint, connections);
        var model = new ClosedModel(RequestSet.Get("/"), depth, TimeSpan.FromSeconds(30), most: 500);
        await reactor.RunAsync(model, TestContext.Current.CancellationToken);

        Assert.Equal(500, model.Result.WithoutErrors().Completed);
        Assert.Equal(500, model.Result.Service.Count);
    }

    [Fact]
    public async Task One_load_after_the_other_goes_over_the_same_connections()
    {
        using var server = new StallingServer(stallAt: 0, Stall);
        using var reactor = new Reactor(server.EndPoint, 3);
        foreach (var count in (int[])[24, 500])
        {
            var model = new ClosedModel(RequestSet.Get("/"), depth: 8, TimeSpan.FromSeconds(30), most: count);
            await reactor.RunAsync(model, TestContext.Current.CancellationToken);
            Assert.Equal(count, model.Result.WithoutErrors().Completed);
        }

        Assert.Equal(3, server.Connections);
    }

    [Fact]
    public async Task What_ends_before_the_load_counts_is_not_counted()
    {
        using var server = new StallingServer(stallAt: 0, Stall);
        using var reactor = new Reactor(server.EndPoint, 2);
        var model = new ClosedModel(RequestSet.Get("/"), depth: 1, TimeSpan.FromSeconds(0.1)) { Skip = TimeSpan.FromSeconds(0.3) };
        var watch = System.Diagnostics.Stopwatch.StartNew();
        await reactor.RunAsync(model, TestContext.Current.CancellationToken);

        Assert.True(watch.Elapsed >= TimeSpan.FromSeconds(0.4), $"it ended after {watch.Elapsed}");
        Assert.InRange(model.Result.Seconds, 0.1, watch.Elapsed.TotalSeconds - 0.3);
        Assert.Equal(model.Result.WithoutErrors().Completed, model.Result.Response.Count);
    }

    [Fact]
    public async Task Waiting_for_a_connection_is_not_the_generators_lateness()
    {
        // More than half of the requests are meant for the time in which the server answers nothing.
        using var server = new StallingServer(stallAt: 2, 2 * Stall);
        using var reactor = new Reactor(server.EndPoint, 2);
        var model = new OpenModel(RequestSet.Get("/"), rate: 200, TimeSpan.FromSeconds(1));
        await reactor.RunAsync(model, TestContext.Current.CancellationToken);
        var (wait, lateness) = (model.Result.ConnectionWait.Milliseconds(70), model.Result.Lateness.Milliseconds(70));
        Assert.True(wait > 100, $"p70 of the wait for a connection is {wait} ms");
        Assert.True(lateness < wait, $"p70 of the generator's lateness is {lateness} ms, of the wait for a connection {wait} ms");
    }

    [Fact]
    public async Task In_an_open_load_a_stall_counts_for_every_request_that_was_meant_to_be_sent_during_it()
    {
        using var server = new StallingServer(stallAt: 20, Stall);
        using var reactor = new Reactor(server.EndPoint, 2);
        var model = new OpenModel(RequestSet.Get("/"), rate: 200, TimeSpan.FromSeconds(1));
        await reactor.RunAsync(model, TestContext.Current.CancellationToken);

        // 60 of 200 requests were meant for the 300 ms in which the server stood still: a closed load would have seen two.
        Assert.Equal(200, model.Result.WithoutErrors().Completed);
        Assert.True(model.Result.Response.Milliseconds(80) > 30, $"p80 is {model.Result.Response.Milliseconds(80)} ms");
        Assert.True(model.Result.Response.Milliseconds(100) > 250, $"the longest is {model.Result.Response.Milliseconds(100)} ms");
    }

    [Fact]
    public async Task A_server_that_is_gone_counts_as_errors()
    {
        using var server = new StallingServer(stallAt: 0, Stall) { LeavesAt = 3 };
        using var reactor = new Reactor(server.EndPoint, 1);
        var model = new ClosedModel(RequestSet.Get("/"), depth: 1, TimeSpan.FromMinutes(1), most: 3);
        await reactor.RunAsync(model, TestContext.Current.CancellationToken);
        Assert.Equal((2, 1), (model.Result.Completed, model.Result.Errors));
        Assert.Throws<InvalidDataException>(model.Result.WithoutErrors);
    }

    [Fact]
    public async Task A_load_that_waits_for_the_last_answer_sleeps()
    {
        // From 0.1 s on it only waits, until 1.1 s.
        await using var server = new ScriptedServer(static async (_, connection) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(1.1), TestContext.Current.CancellationToken);
            await ScriptedServer.SendAsync(connection, ScriptedServer.Ok);
        });
        using var reactor = new Reactor(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, server.Address.Port), 1);
        var model = new ClosedModel(RequestSet.Get("/"), depth: 1, TimeSpan.FromSeconds(0.1)) { WaitsForLast = true };
        await reactor.RunAsync(model, TestContext.Current.CancellationToken);
        Assert.Equal(1, model.Result.WithoutErrors().Completed);
        Assert.InRange(reactor.WakeUps, 1, 100);
    }
}
