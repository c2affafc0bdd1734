using System.Globalization;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Weir.Cli;
using Weir.Cli.Terminal;
using Weir.TypeScript.Tests.Application;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary>The client that <c>weir client</c> writes: strict TypeScript, and right against a running service.</summary>
public sealed class ClientTests
{
    [Fact]
    public Task Every_kind_of_operation_is_called_from_Node() => RunAsync("use");

    [Fact]
    public Task A_service_of_another_version_is_noticed_at_its_first_answer() => RunAsync("versions");

    [Fact]
    public Task Names_may_be_those_that_JavaScript_or_the_client_uses() => RunAsync("names");

    [Fact]
    public async Task Whatever_a_service_sends_ends_in_an_error_of_the_client()
    {
        var folder = await Toolchain.WriteAsync("hostile", typeof(Echo).Assembly.Location, "hostile.ts");
        await Toolchain.CompileAsync(folder, "hostile.ts");
        Assert.Equal("done\n", await Toolchain.NodeAsync(folder, "hostile.js"));
    }

    [Fact]
    public Task Random_values_of_every_type_are_the_same_on_both_sides() => CompareAsync("values", 1_000);

    [Fact]
    [Trait("Kind", "Long")]
    public Task A_hundred_thousand_random_values_are_the_same_on_both_sides() => CompareAsync("all-values", 100_000);

    [Fact]
    public async Task The_assembly_gives_the_same_client_as_the_running_server_but_for_the_prefix()
    {
        await using var echo = await RunningEcho.StartAsync();
        var served = await Toolchain.CommandAsync("client", "--from", echo.Address);
        var built = await Toolchain.CommandAsync("client", "--from", typeof(Echo).Assembly.Location);
        Assert.Equal(built, served.Replace("path: \"/v1/", "path: \"/", StringComparison.Ordinal));
        Assert.NotEqual(built, served);
    }

    [Fact]
    public async Task A_server_with_its_own_JSON_is_a_warning()
    {
        await using var echo = await RunningEcho.StartAsync(static services => services.ConfigureHttpJsonOptions(static options => options.SerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower));
        using var error = new StringWriter();
        Assert.Equal(0, await WeirCommandLine.RunAsync(["client", "--from", echo.Address], new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = TextWriter.Null, Error = error }, TestContext.Current.CancellationToken));
        Assert.StartsWith("weir: warning: the application changes JSON by ConfigureHttpJsonOptions (PropertyNamingPolicy)", error.ToString(), StringComparison.Ordinal);
    }

    // Against the running application, by the program of this name.
    private static async Task RunAsync(string program)
    {
        await using var echo = await RunningEcho.StartAsync();
        var folder = await Toolchain.WriteAsync(program, echo.Address, $"{program}.ts");
        await Toolchain.CompileAsync(folder, $"{program}.ts");
        Assert.Equal("done\n", await Toolchain.NodeAsync(folder, $"{program}.js", echo.Address));
    }

    private static async Task CompareAsync(string name, int count)
    {
        await using var echo = await RunningEcho.StartAsync();
        var folder = await Toolchain.WriteAsync(name, echo.Address, "values.ts");
        await Toolchain.CompileAsync(folder, "values.ts");
        var number = count.ToString(CultureInfo.InvariantCulture);
        Assert.Equal(number + "\n", await Toolchain.NodeAsync(folder, "values.js", echo.Address, number));
    }
}
