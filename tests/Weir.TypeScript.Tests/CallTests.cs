using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Weir.Cli;
using Weir.Cli.Terminal;
using Weir.TypeScript.Tests.Application;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary><c>weir call</c> against a running service.</summary>
public sealed class CallTests
{
    [Theory]
    [InlineData("Echo/Next", new[] { "color=Red" }, "dark-green\n")]
    [InlineData("echo/next", new string[0], "dark-green\n")]
    [InlineData("Echo/Route", new[] { "text=a b", "number=9007199254740993", "rest=x/y", "words=1", "words=2", "amount=1.50" }, "a b|9007199254740993|x/y|1,2|1.50\n")]
    [InlineData("Echo/Headers", new[] { "number=18446744073709551615", "names=a", "names=b" }, "18446744073709551615|a,b\n")]
    [InlineData("Echo/Configure", new[] { "settings={\"name\":\"n\"}" }, "{\n  \"name\": \"n\",\n  \"size\": 3,\n  \"total\": 6\n}\n")]
    [InlineData("Echo/Reverse", new[] { "bytes=abc" }, "cba")]
    [InlineData("Echo/Length", new[] { "body=12345" }, "5\n")]
    [InlineData("Echo/Upload", new[] { "file=text", "title=t" }, "t: file 'text' and 0 more\n")]
    [InlineData("Echo/Check", new[] { "values=" }, "0\n")]
    [InlineData("Echo/Raw", new string[0], "raw")]
    [InlineData("Echo/Imitations", new string[0], "[\n  {\n    \"$weir\": {\n      \"ok\": true,\n      \"count\": 1\n    }\n  },\n  {\n    \"other\": 1\n  }\n]\n")]
    public async Task The_result_is_printed(string operation, string[] arguments, string expected)
    {
        await using var echo = await RunningEcho.StartAsync();
        Assert.Equal((0, expected, ""), await RunAsync(["call", echo.Address, operation, .. arguments]));
    }

    [Fact]
    public async Task The_items_of_a_stream_are_printed_in_lines()
    {
        await using var echo = await RunningEcho.StartAsync();
        Assert.Equal((0, "{\"$weir\":{\"ok\":true,\"count\":1}}\n{\"other\":1}\n", ""), await RunAsync(["call", echo.Address, "Echo/Imitations", "--stream"]));
    }

    [Fact]
    public async Task A_stream_that_is_cut_or_fails_prints_its_items_and_fails()
    {
        await using var echo = await RunningEcho.StartAsync();
        var (code, output, error) = await RunAsync(["call", echo.Address, "Echo/Cut", "after=2", "--stream"]);
        Assert.Equal((1, "0\n1\n"), (code, output));
        Assert.StartsWith("weir: ", error, StringComparison.Ordinal);
        (code, output, error) = await RunAsync(["call", echo.Address, "Echo/FailLate", "after=2", "--stream"]);
        Assert.Equal((1, "0\n1\n"), (code, output));
        Assert.StartsWith("weir: 409", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_value_may_be_in_a_file_or_in_standard_input()
    {
        await using var echo = await RunningEcho.StartAsync();
        var file = Path.Combine(AppContext.BaseDirectory, "settings.json");
        await File.WriteAllTextAsync(file, "{\"name\":\"of a file\"}\n", TestContext.Current.CancellationToken);
        Assert.Contains("\"of a file\"", (await RunAsync(["call", echo.Address, "Echo/Configure", "settings=@" + file, "--json"])).Output, StringComparison.Ordinal);
        Assert.Equal((0, "tupni", ""), await RunAsync(["call", echo.Address, "Echo/Reverse", "bytes=@-"], "input"));
    }

    [Fact]
    public async Task A_problem_is_readable_with_every_binding_error()
    {
        await using var echo = await RunningEcho.StartAsync();
        var (code, output, error) = await RunAsync(["call", echo.Address, "Echo/Next", "color=Violet"]);
        Assert.Equal((1, ""), (code, output));
        Assert.StartsWith("weir: 400: WEIR2001: ", error, StringComparison.Ordinal);
        Assert.Contains("\nweir:   color (query): invalid, expected Red, dark-green or Blue\n", error, StringComparison.Ordinal);
        Assert.Equal(1, (await RunAsync(["call", echo.Address, "Echo/Both", "first={}", "second={}", "numbers=x"])).Code);
        (code, output, error) = await RunAsync(["call", echo.Address, "Echo/Next", "color=Violet", "--json"]);
        Assert.Equal((1, ""), (code, error));
        Assert.StartsWith("{\"type\":", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("there is no service 'Ech'; choose Echo, Mirror, Names, Reports.", "Ech/Next")]
    [InlineData("Echo has no such operation; choose Echo/", "Echo/Nix")]
    [InlineData("'7' is no argument; write name=value.", "Echo/Next", "7")]
    [InlineData("Echo/Next has no parameter 'colour'; choose color.", "Echo/Next", "colour=Red")]
    [InlineData("id is missing, which is a part of the path", "Echo/Remove")]
    [InlineData("settings is Weir.TypeScript.Tests.Application.Settings, and its value is no JSON", "Echo/Configure", "settings={")]
    [InlineData("--stream is given, and Echo/Next returns one result", "Echo/Next", "--stream")]
    [InlineData("--header is 'x'; write 'Name: value'.", "Echo/Next", "--header", "x")]
    public async Task A_wrong_input_is_named(string expected, params string[] arguments)
    {
        await using var echo = await RunningEcho.StartAsync();
        var (code, _, error) = await RunAsync(["call", echo.Address, .. arguments]);
        Assert.Equal(2, code);
        Assert.StartsWith("weir: " + expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_without_a_catalog_is_named_with_what_it_needs()
    {
        await using var echo = await RunningEcho.StartAsync();
        var (code, _, error) = await RunAsync(["call", echo.Address + "/missing", "Echo/Next"]);
        Assert.Equal(2, code);
        Assert.Contains("answered 404; the application must call app.MapWeirCatalog()", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Cancelling_ends_the_call_on_the_server()
    {
        var state = new EchoState();
        await using var echo = await RunningEcho.StartAsync(services => services.AddSingleton(state));
        using var interrupt = new CancellationTokenSource();
        var calling = RunAsync(["call", echo.Address, "Echo/Wait"], cancellationToken: interrupt.Token);
        await state.Waiting.Task.WaitAsync(TestContext.Current.CancellationToken);
        await interrupt.CancelAsync();
        Assert.Equal(ExitCodes.Interrupted, (await calling).Code);
        while ((await RunAsync(["call", echo.Address, "Echo/Stopped"])).Output != "1\n")
        {
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    [Theory]
    [InlineData("Echo/Re", "Echo/Remove", "Echo/Removed", "Echo/Reverse")]
    [InlineData("Echo/Route wo", "words=")]
    public async Task Names_are_completed_from_the_catalog(string typed, params string[] expected)
    {
        await using var echo = await RunningEcho.StartAsync();
        var line = $"weir call {echo.Address} {typed}";
        var (_, output, _) = await RunAsync([$"[suggest:{line.Length}]", line]);
        Assert.Equal(expected, output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));
    }

    private static async Task<(int Code, string Output, string Error)> RunAsync(string[] arguments, string input = "", CancellationToken? cancellationToken = null)
    {
        using var output = new MemoryStream();
        await using var writer = new StreamWriter(output, new UTF8Encoding(false), leaveOpen: true) { AutoFlush = true, NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var console = new CommandConsole { Input = new MemoryStream(Encoding.UTF8.GetBytes(input)), Output = output, Out = writer, Error = error };
        var code = await WeirCommandLine.RunAsync(arguments, console, cancellationToken ?? TestContext.Current.CancellationToken);
        return (code, Encoding.UTF8.GetString(output.ToArray()), error.ToString());
    }
}
