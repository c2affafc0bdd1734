using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Cli;
using Weir.Cli.Terminal;
using Weir.Cli.Tests.Jobs;
using Weir.Tests;
using static Weir.Dashboard.Tests.Observer;

namespace Weir.Dashboard.Tests;

/// <summary>The stream of events when connections are cut, stand still or last for long.</summary>
public sealed class EventStreamTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_tool_connects_again_behind_the_last_event_so_that_none_is_printed_twice_or_left_out()
    {
        await using var application = await DashboardApplication.StartAsync();
        await using var proxy = new CutProxy(application.Address);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        using var lines = new StringWriter();
        var output = TextWriter.Synchronized(lines);
        var console = new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = output, Error = TextWriter.Null, Time = new SkippingTime() };
        var running = WeirCommandLine.RunAsync(["events", proxy.Address, "--json"], console, stop.Token);
        await UntilAsync(() => Task.FromResult(proxy.Received), static received => received > 0);
        await CrashAsync(1);
        await UntilAsync(PrintedAsync, static printed => printed.Length == 3);

        // While there is no connection, a whole life of a worker passes.
        proxy.IsDown = true;
        proxy.Cut();
        await CrashAsync(2);
        await UntilAsync(() => Task.FromResult(proxy.Refused), static refused => refused > 0);
        Assert.Equal(3, (await PrintedAsync()).Length);
        proxy.IsDown = false;
        await UntilAsync(PrintedAsync, static printed => printed.Length == 6);
        proxy.Cut();
        await CrashAsync(3);
        var events = await UntilAsync(PrintedAsync, static printed => printed.Length >= 9);
        Assert.Equal(
            [.. Enumerable.Range(1, 3).SelectMany(static serial => new[] { (serial, "started"), (serial, "ready"), (serial, "ended") })],
            events.Select(static one => (one.GetProperty("serial").GetInt32(), one.GetProperty("event").GetString()!)));
        await stop.CancelAsync();
        Assert.Equal(130, await running);

        async Task CrashAsync(int number)
        {
            using var response = await application.Client.PostAsync(new Uri($"/Faulty/Crash?last={number}", UriKind.Relative), null, Ct);
            Assert.Equal(HttpStatusCode.BadGateway, response.StatusCode);
        }

        Task<JsonElement[]> PrintedAsync()
        {
            // It locks itself.
            lock (output)
            {
                return Task.FromResult(lines.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => JsonElement.Parse(line)).ToArray());
            }
        }
    }

    [Fact]
    public async Task A_stream_ends_after_15_minutes_so_that_the_policy_decides_again()
    {
        var time = new ManualTime();
        await using var application = await StartAsync(time, viewers: 1);
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/events");
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(Ct));
        Assert.Equal("hello", (await NextAsync(reader)).Kind);
        Assert.Equal("tick", (await NextAsync(reader)).Kind);

        // A tick for each second, the last one included: no time passes while one is on its way.
        for (var passed = 1; passed <= 900; passed++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            Assert.Equal((passed, "tick"), (passed, (await NextAsync(reader)).Kind));
        }

        Assert.Equal("end", (await NextAsync(reader)).Kind);
        Assert.Equal("", (await NextAsync(reader)).Kind);
        await UntilAsync(() => StatusAsync(application), static status => status == HttpStatusCode.OK);
    }

    [Fact]
    public async Task A_viewer_that_reads_nothing_is_cut_off_after_ten_seconds_and_harms_no_other()
    {
        var time = new ManualTime();
        await using var application = await StartAsync(time, viewers: 2);
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/events");
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(Ct));
        Assert.Equal("tick", (await NextAsync(reader, "tick")).Kind);
        using var silent = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        await silent.ConnectAsync(IPAddress.Loopback, application.Address.Port, Ct);
        await silent.SendAsync(Encoding.ASCII.GetBytes("GET /weir/events HTTP/1.1\r\nHost: localhost\r\n\r\n"), Ct);
        var head = new byte[15];
        Assert.Equal(head.Length, await silent.ReceiveAsync(head, Ct));
        Assert.Equal("HTTP/1.1 200 OK", Encoding.ASCII.GetString(head));
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await StatusAsync(application));

        // Some seconds until nothing more fits into the buffers between the two, and then ten.
        var seconds = 0;
        do
        {
            seconds++;
            Assert.True(seconds < 600, "It is still connected.");
            time.Advance(TimeSpan.FromSeconds(1));
            Assert.Equal("tick", (await NextAsync(reader)).Kind);
        }
        while (await StatusAsync(application) != HttpStatusCode.OK);

        Assert.True(seconds > 10, $"It was cut off after {seconds} s.");
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal("tick", (await NextAsync(reader)).Kind);
        Assert.DoesNotContain("event: end", await DrainAsync(silent), StringComparison.Ordinal);
    }

    private static Task<DashboardApplication> StartAsync(ManualTime time, int viewers) => DashboardApplication.StartAsync(
        Environments.Development,
        app => app.MapWeirDashboard(configure: options => options.Viewers = viewers),
        services =>
        {
            services.AddSingleton<TimeProvider>(time);

            // Little lies between the two ends, and the server's own rule for slow readers, which has another clock, is off.
            services.Configure<KestrelServerOptions>(static kestrel => (kestrel.Limits.MinResponseDataRate, kestrel.Limits.MaxResponseBufferSize) = (null, 4096));
            services.Configure<SocketTransportOptions>(static transport =>
            {
                transport.MaxWriteBufferSize = 4096;
                transport.CreateBoundListenSocket = static endpoint =>
                {
                    var socket = SocketTransportOptions.CreateDefaultBoundListenSocket(endpoint);
                    socket.SendBufferSize = 4096;
                    return socket;
                };
            });
        });

    private static async Task<HttpStatusCode> StatusAsync(DashboardApplication application)
    {
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/events");
        return response.StatusCode;
    }

    private static async Task<string> DrainAsync(Socket socket)
    {
        var (text, buffer) = (new StringBuilder(), new byte[16 * 1024]);
        try
        {
            while (await socket.ReceiveAsync(buffer, Ct) is > 0 and var count)
            {
                text.Append(Encoding.UTF8.GetString(buffer, 0, count));
            }
        }
        catch (SocketException)
        {
            // It was reset.
        }

        return text.ToString();
    }
}
