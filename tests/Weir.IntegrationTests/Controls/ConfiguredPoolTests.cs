using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Processes.Linux.Limits;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>What an application's configuration says about a pool, read back inside its workers.</summary>
public class ConfiguredPoolTests
{
    [Fact]
    public async Task What_the_configuration_says_holds_inside_the_worker()
    {
        var own = Affinity.Read(0)!;
        await using var pool = new ControlledPool(static _ => { }, services => Register(services, new()
        {
            ["Priority"] = "Idle",
            ["Processors:0"] = $"{own[0]}",
            ["MemoryLimitBytes"] = $"{512 << 20}",
            ["OomScoreAdjustment"] = "700",
            ["InheritedVariables:0"] = "PATH",
            ["EnvironmentVariables:WORD"] = "from the configuration",
            ["WorkingDirectory"] = "/",
            ["WarmUp"] = "false",
            ["CancelGrace"] = "00:00:05",
        }));
        Assert.All(await pool.AskAsync<int[]>("Priorities"), static nice => Assert.Equal(19, nice));
        Assert.Equal([$"{own[0]}"], await pool.AskAsync<string[]>("Processors"));
        Assert.Equal(512 << 20, await pool.AskAsync<long>("MemoryLimit"));
        Assert.Equal(Math.Min(1000, OomScoreAdjuster.OfThisProcess + 700), await pool.AskAsync<int>("OomScore"));
        Assert.Equal("from the configuration", await pool.AskAsync<string>("Variable", """{"name":"WORD"}"""));
        Assert.All(await pool.AskAsync<string[]>("Variables"), static name => Assert.True(name is "PATH" or "WORD" || name.StartsWith("DOTNET_", StringComparison.Ordinal), name));
        Assert.Equal("/", await pool.AskAsync<string>("Folder"));
        Assert.Equal(0, await pool.AskAsync<int>("WarmUps"));
    }

    [Fact]
    public async Task The_code_has_the_last_word()
    {
        await using var pool = new ControlledPool(
            static options => options.EnvironmentVariables["WORD"] += " and from the code",
            static services => Register(services, new() { ["EnvironmentVariables:WORD"] = "from the configuration" }));
        Assert.Equal("from the configuration and from the code", await pool.AskAsync<string>("Variable", """{"name":"WORD"}"""));
    }

    [Fact]
    public void A_key_that_is_no_option_stops_the_application()
    {
        var failure = Assert.Throws<InvalidOperationException>(() => new Application(register: static services => Register(services, new() { ["MaxWorker"] = "3" })));
        Assert.Contains("MaxWorkers", failure.Message, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.InvalidOptions, failure.Message, StringComparison.Ordinal);
    }

    private static void Register(IServiceCollection services, Dictionary<string, string?> pool) =>
        services.AddSingleton<IConfiguration>(new ConfigurationBuilder()
            .AddInMemoryCollection(pool.Select(static option => new KeyValuePair<string, string?>($"Weir:Pools:controlled:{option.Key}", option.Value)))
            .Build());
}
