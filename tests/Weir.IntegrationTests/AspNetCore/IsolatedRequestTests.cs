using System.Net;
using System.Net.Http.Headers;
using System.Text;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Streamed requests that pass from a connection through the host into a worker.</summary>
public sealed class IsolatedRequestTests
{
    private const string Lines = "application/x-ndjson";

    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private const int Limit = 60_000;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory(Timeout = Limit)]
    [InlineData("/IsolatedRequests/Join?separator=%2B", "\"a\"\nnull\n\"c\"", Lines, "a+(null)+c")]
    [InlineData("/IsolatedRequests/Sizes", "[\"AQID\", \"\"]", "application/json", "3 0")]
    [InlineData("/IsolatedRequests/Double.ndjson", "1\n2", Lines, "2\n4\n")]
    [InlineData("/IsolatedBlockingRequests/Sum", "1\n2\n\n3", Lines, "6")]
    [InlineData("/IsolatedRequests/Sum", "", Lines, "0")]
    public async Task Items_reach_the_worker_as_they_came(string path, string body, string mediaType, string answer)
    {
        await using var host = await StartAsync();
        using var response = await host.Client.PostAsync(path, Body(body, mediaType), Cancel);
        Assert.Equal(answer, await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Theory(Timeout = Limit)]
    [InlineData("1\n2\n\"3\"\n4", "numbers[2] body invalid")]
    [InlineData("1\n-", "numbers[1] body malformed")]
    public async Task An_item_that_does_not_read_is_400_with_its_index_as_everywhere(string body, string fault)
    {
        await using var host = await StartAsync();
        using var response = await host.Client.PostAsync("/IsolatedRequests/Sum", Body(body, Lines), Cancel);
        Assert.Equal([fault], (await response.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Fact(Timeout = Limit)]
    public async Task Both_directions_run_at_once()
    {
        await using var host = await StartAsync();
        using var body = new SentBody();
        body.Send("1\n");
        using var reader = new IncrementalReader(await body.PostAsync(host.Client2, "/IsolatedRequests/Double.ndjson", cancellationToken: Cancel));
        var text = "";
        for (var number = 1; number <= 64; number *= 2)
        {
            // The next item is sent when the answer to the last is there.
            text += $"{2 * number}\n";
            await reader.ReadAsync(text);
            body.Send($"{2 * number}\n");
        }

        body.End();
        Assert.Equal(text + "256\n", await reader.ReadToEndAsync());
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_that_has_enough_answers_although_the_body_goes_on()
    {
        await using var host = await StartAsync();
        for (var i = 0; i < 5; i++)
        {
            using var body = new SentBody();
            body.Send($"{i}\n");
            using var response = await body.PostAsync(host.Client2, "/IsolatedRequests/First", cancellationToken: Cancel);
            Assert.Equal($"{i}", await response.Content.ReadAsStringAsync(Cancel));
            body.End();
        }
    }

    [Theory(Timeout = Limit)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_caller_who_leaves_ends_the_call_and_the_worker_serves_on(bool http2)
    {
        await using var host = await StartAsync();
        var worker = await IdentifyAsync(host);
        using var leaving = new CancellationTokenSource();
        using var body = new SentBody();
        body.Send("1\n");
        var running = body.PostAsync(http2 ? host.Client2 : host.Client, "/RequestMisbehaviour/WaitForItem", cancellationToken: leaving.Token);
        Assert.True(await ProcFiles.EventuallyAsync(() => body.Sent > 0, TimeSpan.FromSeconds(20)));
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);

        // The same process: it was not killed for a call that heeds its end.
        Assert.Equal(worker, await IdentifyAsync(host));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Fact(Timeout = Limit)]
    public async Task A_death_in_the_middle_of_the_items_is_502()
    {
        await using var host = await StartAsync();
        using var body = new SentBody();
        body.Send("1\n2\n3\n");
        using var response = await body.PostAsync(host.Client2, "/RequestMisbehaviour/TakeAndExit?count=2", cancellationToken: Cancel);
        await response.ReadProblemAsync(502, WeirCodes.WorkerLost);
        body.End();
    }

    [Fact(Timeout = Limit)]
    public async Task A_sender_of_single_bytes_holds_no_worker()
    {
        // The only worker of the pool is free as long as there is no whole item; and the sender is stalled before it would get it.
        await using var host = await StartAsync(static options => options.SenderStallTimeout = TimeSpan.FromMilliseconds(800));
        await IdentifyAsync(host);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST /RequestMisbehaviour/WaitForItem HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Type: {Lines}\nContent-Length: 100000");

        // The body is read: where that needed the worker, it has it by now.
        await connection.ReadUntilAsync("HTTP/1.1 100 Continue\r\n\r\n");
        var answer = connection.ReadUntilAsync("WeirServerOptions.SenderStallTimeout");
        var dripping = DripAsync(connection, answer);
        var first = IdentifyAsync(host);
        Assert.Same(first, await Task.WhenAny(first, answer));
        while (!answer.IsCompleted)
        {
            await IdentifyAsync(host);
        }

        await dripping;
        Assert.Contains("HTTP/1.1 408 ", await answer, StringComparison.Ordinal);
    }

    [Fact(Timeout = Limit)]
    public async Task Many_items_pass_through()
    {
        await using var host = await StartAsync();
        var text = new StringBuilder();
        for (var i = 0; i < 200_000; i++)
        {
            text.Append(i).Append('\n');
        }

        using var response = await host.Client.PostAsync("/IsolatedRequests/Sum", Body(text.ToString(), Lines), Cancel);
        Assert.Equal("19999900000", await response.Content.ReadAsStringAsync(Cancel));
    }

    // Ends with the answer.
    private static async Task DripAsync(RawConnection connection, Task answer)
    {
        using var pace = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (!answer.IsCompleted && await pace.WaitForNextTickAsync(Cancel))
        {
            try
            {
                await connection.SendRawAsync("1");
            }
            catch (IOException)
            {
                // The server has ended the connection behind its answer.
                return;
            }
        }
    }

    private static async Task<string> IdentifyAsync(WeirHost host)
    {
        using var response = await host.Client.PostAsync("/Misbehaviour/Identify", null, Cancel);
        return await response.Content.ReadAsStringAsync(Cancel);
    }

    private static Task<WeirHost> StartAsync(Action<WeirServerOptions>? server = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Options = server,
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options, static pool => pool.MaxWorkers = 1),
    });

    private static StringContent Body(string body, string mediaType)
    {
        var content = new StringContent(body, Encoding.UTF8);
        content.Headers.ContentType = MediaTypeHeaderValue.Parse(mediaType);
        return content;
    }
}
