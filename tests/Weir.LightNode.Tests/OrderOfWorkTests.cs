using System.Net;
using System.Net.Sockets;
using System.Text;
using Weir.LightNode.Tests.Contracts;
using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>
/// The first check that fails answers: route, authorization, verb, origin, format, arguments, validation; then filters and the operation
/// run. LightNode binds before it chooses a format, and leaves authorization to filters behind both.
/// </summary>
public abstract class OrderOfWorkTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    // Everything is wrong with this request; from line to line one thing less.
    [Theory]
    [InlineData("GET", "/GuardedContract/Add.zzz?x=z", null, "cross-site", 401)]
    [InlineData("GET", "/GuardedContract/Add.zzz?x=z", "X-User: a", "cross-site", 405)]
    [InlineData("POST", "/GuardedContract/Add.zzz?x=z", "X-User: a", "cross-site", 403)]
    [InlineData("POST", "/GuardedContract/Add.zzz?x=z", "X-User: a", "same-origin", 406)]
    [InlineData("POST", "/GuardedContract/Add?x=z", "X-User: a", "same-origin", 400)]
    [InlineData("POST", "/GuardedContract/Add?x=10&y=1", "X-User: a", "same-origin", 400)]
    public async Task The_first_check_that_fails_answers_and_no_filter_runs(string verb, string path, string? user, string site, int status)
    {
        var answer = await SendAsync(verb, path, [.. user is null ? [] : new[] { user }, $"Sec-Fetch-Site: {site}"]);
        Assert.Equal((status, null), (answer.Status, answer.Header(Marks.Header)));
    }

    [Fact]
    public async Task A_request_that_passes_all_checks_reaches_filter_and_operation()
    {
        var answer = await SendAsync("POST", "/GuardedContract/Add?x=1&y=2", "X-User: a");
        Assert.Equal((200, "3", "Guarded"), (answer.Status, answer.Body, answer.Header(Marks.Header)));
    }

    [Theory]
    [InlineData("/hello/pin.zzz?x=z", 404)]
    [InlineData("/VerbContract/PutOnly.zzz", 405)]
    [InlineData("/ParameterContract/Struct.zzz", 406)] // 400 with LightNode.
    [InlineData("/ParameterContract/Struct.json", 400)]
    public async Task Route_verb_format_and_arguments_are_checked_in_this_order(string path, int status) => Assert.Equal(status, (await GetAsync(path)).Status);

    [Fact]
    public async Task Validation_comes_after_binding()
    {
        Assert.Equal("x query invalid, y request missing", (await GetAsync("/TestContract/AddDigits?x=z")).BindingErrors());
        Assert.Equal("x query validation", (await GetAsync("/TestContract/AddDigits?x=10&y=1")).BindingErrors());
    }

    // LightNode reads the whole body first, whatever the request is.
    [Theory]
    [InlineData("POST", "/hello/pin", 404)]
    [InlineData("POST", "/GuardedContract/Add", 401)]
    [InlineData("PUT", "/Hello/Say", 405)]
    [InlineData("POST", "/Hello/Say.zzz", 406)]
    public async Task A_request_is_refused_before_its_body_has_arrived(string verb, string path, int status)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, Application.Address.Port, TestContext.Current.CancellationToken);
        var head = $"{verb} {Placed(path)} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {Form}\r\nContent-Length: 1000000\r\n\r\n";
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(head), TestContext.Current.CancellationToken);
        using var reader = new StreamReader(client.GetStream());
        Assert.StartsWith($"HTTP/1.1 {status} ", await reader.ReadLineAsync(TestContext.Current.CancellationToken), StringComparison.Ordinal);
    }
}

public sealed class InlineOrderOfWorkTests(LightNodeApplication application) : OrderOfWorkTests(application, Placement.Inline);

public sealed class IsolatedOrderOfWorkTests(LightNodeApplication application) : OrderOfWorkTests(application, Placement.Isolated);
