using static Weir.Load.Tests.Loads;

namespace Weir.Load.Tests;

/// <summary>A server that stalls once, over both engines: what each model shows of it.</summary>
public sealed class StallTests
{
    private static readonly TimeSpan Stall = TimeSpan.FromSeconds(1);

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_server_that_stalls_once_shows_in_the_response_time_of_the_open_model(bool isRaw)
    {
        // One connection: nothing that is due during the stall can be sent.
        await using var server = Stalling(at: 20);
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Rate = 100, Duration = TimeSpan.FromSeconds(2) });

        // 100 of 200 requests were due during the stall of a second, which a timer may end a tick early; the service time shows a single slow request.
        Assert.Equal((200, 0), (report.Requests, report.Errors));
        Assert.True(report.ResponseTime.Max >= 990, $"the longest response time is {report.ResponseTime.Max} ms");
        Assert.True(report.ResponseTime.P99 >= 900, $"p99 of the response time is {report.ResponseTime.P99} ms");
        Assert.True(report.ServiceTime.Max >= 990, $"the longest service time is {report.ServiceTime.Max} ms");
        Assert.True(report.ServiceTime.P99 < 500, $"p99 of the service time is {report.ServiceTime.P99} ms");
        Assert.True(report.ConnectionWait.P90 > report.Lateness.P90, "the wait is the server's, not the generator's");
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task A_server_that_stalls_once_is_one_slow_request_in_the_closed_model(bool isRaw)
    {
        await using var server = Stalling(at: 20);
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 200 });
        Assert.True(report.ResponseTime.Max >= 990, $"the longest response time is {report.ResponseTime.Max} ms");
        Assert.True(report.ResponseTime.P99 < 500, $"p99 of the response time is {report.ResponseTime.P99} ms");
    }

    private static ScriptedServer Stalling(int at) => new(async (number, connection) =>
    {
        if (number == at)
        {
            await Task.Delay(Stall);
        }

        await ScriptedServer.SendAsync(connection, ScriptedServer.Ok);
    });
}
