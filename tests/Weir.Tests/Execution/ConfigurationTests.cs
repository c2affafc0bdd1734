using System.Diagnostics;
using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Weir.Execution.Configuration;
using Weir.Execution.Pools.Options;

namespace Weir.Tests.Execution;

public class ConfigurationTests
{
    [Fact]
    public void Every_option_is_read()
    {
        var options = Bind("""
            {
              "RunInline": true,
              "MaxWorkers": 40,
              "DrainTimeout": "00:00:07",
              "BlockingThreshold": "00:00:00.05",
              "StarvationThreshold": null,
              "Lane": { "MinThreads": 1, "MaxThreads": 2, "QueueLimit": 3, "KeepAlive": "00:00:04" },
              "Pools": {
                "hashing": {
                  "minworkers": 2, "MaxWorkers": 3, "QueueLimit": 4, "IdleTimeout": "1.00:00:05", "CancelGrace": "00:00:00.25",
                  "StartTimeout": "00:01:00", "RestartBudget": 7, "MemoryLimitBytes": 8000000000, "PayloadLimitBytes": 9000,
                  "StallTimeout": "00:00:10", "Priority": "idle", "Processors": [2, 3], "OomScoreAdjustment": 8,
                  "Concurrency": 7, "WarmUp": false, "StandbyWorkers": 2, "MaxCallsPerWorker": 5000000000, "MaxWorkerAge": "01:00:00", "MemorySoftLimitBytes": 90000000,
                  "MaxRetries": 4, "QuarantineKills": 5, "SilenceTimeout": "00:00:06",
                  "ControlGroup": "always", "ProcessLimit": 40, "CpuLimit": 1.5,
                  "InheritedVariables": ["PATH", "DB_*"], "InheritedConfiguration": ["ConnectionStrings", "Reports:Printer"], "EnvironmentVariables": { "NAME": "value" }, "WorkingDirectory": "/",
                  "Dumps": { "folder": "/var/dumps", "MaxCount": 3, "MaxBytes": 5000000 }, "SharedData": { "model": "/data/model.bin", "words": "words.txt" },
                  "BestEffort": true, "SendsCaller": false, "Command": ["python3", "/app/hash.py"], "Configuration": { "word": "Hello", "Database": { "Name": "x" } }
                },
                "Other": { "Processors": "0-1,3", "InheritedVariables": [], "InheritedConfiguration": [], "WorkingDirectory": null }
              }
            }
            """);
        Assert.True(options.RunInline);
        Assert.Equal(40, options.MaxWorkers);
        Assert.Equal(TimeSpan.FromSeconds(7), options.DrainTimeout);
        Assert.Equal((TimeSpan.FromMilliseconds(50), null), (options.BlockingThreshold, options.StarvationThreshold));
        Assert.Equal((1, 2, 3, TimeSpan.FromSeconds(4)), (options.Lane.MinThreads, options.Lane.MaxThreads, options.Lane.QueueLimit, options.Lane.KeepAlive));
        Assert.Equal(["hashing", "Other"], options.Pools.Keys);

        var pool = options.Pool("HASHING");
        Assert.Equal((2, 3, 4, 7, 9000), (pool.MinWorkers, pool.MaxWorkers, pool.QueueLimit, pool.RestartBudget, pool.PayloadLimitBytes));
        Assert.Equal(new TimeSpan(1, 0, 0, 5), pool.IdleTimeout);
        Assert.Equal(TimeSpan.FromMilliseconds(250), pool.CancelGrace);
        Assert.Equal(TimeSpan.FromMinutes(1), pool.StartTimeout);
        Assert.Equal(8_000_000_000, pool.MemoryLimitBytes);
        Assert.Equal(TimeSpan.FromSeconds(10), pool.StallTimeout);
        Assert.Equal(ProcessPriorityClass.Idle, pool.Priority);
        Assert.Equal([2, 3], pool.Processors!);
        Assert.Equal(8, pool.OomScoreAdjustment);
        Assert.Equal((7, false), (pool.Concurrency, pool.WarmUp));
        Assert.Equal((2, 5_000_000_000, 90_000_000, 4, 5), (pool.StandbyWorkers, pool.MaxCallsPerWorker, pool.MemorySoftLimitBytes, pool.MaxRetries, pool.QuarantineKills));
        Assert.Equal((TimeSpan.FromHours(1), TimeSpan.FromSeconds(6)), (pool.MaxWorkerAge, pool.SilenceTimeout));
        Assert.Equal((ControlGroupUse.Always, 40, 1.5), (pool.ControlGroup, pool.ProcessLimit, pool.CpuLimit));
        Assert.Equal(["PATH", "DB_*"], pool.InheritedVariables!);
        Assert.Equal(["ConnectionStrings", "Reports:Printer"], pool.InheritedConfiguration!);
        Assert.Equal("value", pool.EnvironmentVariables["NAME"]);
        Assert.Equal("/", pool.WorkingDirectory);
        Assert.Equal(("/var/dumps", 3, 5_000_000), (pool.Dumps!.Folder, pool.Dumps.MaxCount, pool.Dumps.MaxBytes));
        Assert.Equal(
            [("model", "/data/model.bin"), ("words", Path.GetFullPath("words.txt"))],
            pool.SharedDataSources.OrderBy(static one => one.Key).Select(static one => (one.Key, one.Value.Path)));
        Assert.True(pool.BestEffort);
        Assert.False(pool.SendsCaller);
        Assert.Equal(["python3", "/app/hash.py"], pool.Command!);
        Assert.Equal("Hello", pool.Configuration["word"]);
        Assert.Equal("x", pool.Configuration["Database:Name"]);

        var other = options.Pool("other");
        Assert.Equal([0, 1, 3], other.Processors!);
        Assert.Empty(other.InheritedVariables!);
        Assert.Empty(other.InheritedConfiguration!);
        Assert.Null(other.WorkingDirectory);
    }

    [Theory]
    [InlineData("null")]
    [InlineData("\"\"")]
    public void Null_and_the_empty_text_mean_no_limit(string none)
    {
        var pool = Bind($$"""{ "Pools": { "p": { "IdleTimeout": {{none}}, "StallTimeout": {{none}}, "MemoryLimitBytes": {{none}} } } }""").Pool("p");
        Assert.Null(pool.IdleTimeout);
        Assert.Null(pool.StallTimeout);
        Assert.Null(pool.MemoryLimitBytes);
    }

    [Theory]
    [InlineData("""{ "Pools": { "p": { "MaxWorker": 1 } } }""", "Weir:Pools:p:MaxWorker is not an option of a pool; the nearest one is MaxWorkers.")]
    [InlineData("""{ "Pools": { "p": { "Dumps": { "MaxCont": 1 } } } }""", "Weir:Pools:p:Dumps:MaxCont is not an option of the dumps of a pool; the nearest one is MaxCount.")]
    [InlineData("""{ "Pools": { "p": { "Dumps": { "MaxCount": "many" } } } }""", "Weir:Pools:p:Dumps:MaxCount is 'many'")]
    [InlineData("""{ "Pools": { "p": { "Dumps": { "MaxBytes": null } } } }""", "Weir:Pools:p:Dumps:MaxBytes is")]
    [InlineData("""{ "Pools": { "p": { "SharedData": { "model": "" } } } }""", "Weir:Pools:p:SharedData:model is ''; write the path of a file.")]
    [InlineData("""{ "Pools": { "p": { "queue": 1 } } }""", "Weir:Pools:p:queue is not an option of a pool; the nearest one is QueueLimit.")]
    [InlineData("""{ "Pools": { "p": { "Polling": true } } }""", "Weir:Pools:p:Polling is not an option of a pool; the nearest one is ")]
    [InlineData("""{ "Lane": { "Threads": 1 } }""", "Weir:Lane:Threads is not an option of the lane; the nearest one is MinThreads.")]
    [InlineData("""{ "Pool": { "p": {} } }""", "Weir:Pool is not an option of Weir; the nearest one is Pools.")]
    [InlineData("""{ "Pools": { "p": { "MaxWorkers": "many" } } }""", "Weir:Pools:p:MaxWorkers is 'many'; write a whole number.")]
    [InlineData("""{ "Pools": { "p": { "MaxWorkers": null } } }""", "Weir:Pools:p:MaxWorkers is null; write one value.")]
    [InlineData("""{ "Pools": { "p": { "MaxWorkers": { "x": 1 } } } }""", "Weir:Pools:p:MaxWorkers is a section; write one value.")]
    [InlineData("""{ "Pools": { "p": { "IdleTimeout": "10" } } }""", "Weir:Pools:p:IdleTimeout is '10'; write hours:minutes:seconds")]
    [InlineData("""{ "Pools": { "p": { "MemoryLimitBytes": "1GB" } } }""", "Weir:Pools:p:MemoryLimitBytes is '1GB'; write a whole number of bytes")]
    [InlineData("""{ "Pools": { "p": { "Configuration": "x" } } }""", "Weir:Pools:p:Configuration is 'x'; write a section of names and values.")]
    [InlineData("""{ "Pools": { "p": { "Priority": "5" } } }""", "Weir:Pools:p:Priority is '5'; write Idle, BelowNormal, Normal, AboveNormal or High.")]
    [InlineData("""{ "Pools": { "p": { "CpuLimit": "half" } } }""", "Weir:Pools:p:CpuLimit is 'half'; write a number, as in 0.5.")]
    [InlineData("""{ "Pools": { "p": { "Processors": "all" } } }""", "Weir:Pools:p:Processors is 'all'; write numbers of processors")]
    [InlineData("""{ "Pools": { "p": { "Processors": ["x"] } } }""", "Weir:Pools:p:Processors:0 is 'x'; write a whole number.")]
    [InlineData("""{ "Pools": { "p": { "InheritedVariables": "PATH" } } }""", "Weir:Pools:p:InheritedVariables is 'PATH'; write an array of texts.")]
    [InlineData("""{ "Pools": { "p": { "BestEffort": 1 } } }""", "Weir:Pools:p:BestEffort is '1'; write true or false.")]
    [InlineData("""{ "Pools": { "p": 5 } }""", "Weir:Pools:p is '5'; write a section with the options of a pool.")]
    [InlineData("""{ "Pools": 5 }""", "Weir:Pools is '5'; write a section.")]
    [InlineData("""{ "RunInline": "perhaps" }""", "Weir:RunInline is 'perhaps'; write true or false.")]
    public void An_invalid_value_is_reported_with_its_key_its_value_and_the_next_step(string json, string start)
    {
        var failure = Assert.Throws<InvalidOperationException>(() => Bind(json));
        Assert.StartsWith(start, failure.Message, StringComparison.Ordinal);
        Assert.EndsWith($"See {WeirCodes.InvalidOptions}.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_unknown_key_is_reported_with_the_nearest_and_with_all_known_keys_of_its_section()
    {
        Assert.Equal(
            "Weir:Lane:Threads is not an option of the lane; the nearest one is MinThreads. The options of the lane are KeepAlive, MaxThreads, MinThreads, QueueLimit. See WEIR3002.",
            Assert.Throws<InvalidOperationException>(() => Bind("""{ "Lane": { "Threads": 1 } }""")).Message);

        var failure = Assert.Throws<InvalidOperationException>(() => Bind("""{ "Pools": { "p": { "Polling": true } } }"""));
        Assert.All(PoolKeys.All.Names, name => Assert.Contains($" {name},", failure.Message.Replace(". See", ",", StringComparison.Ordinal), StringComparison.Ordinal));
    }

    [Fact]
    public void Options_set_in_code_see_and_override_the_configuration()
    {
        var options = WeirOptions.Create(Read("""{ "Pools": { "p": { "MaxWorkers": 3, "MinWorkers": 2 } } }"""), [new ConfigureOptions<WeirOptions>(static weir => weir.Pool("p").MaxWorkers += 4)]);
        Assert.Equal((2, 7), (options.Pool("p").MinWorkers, options.Pool("p").MaxWorkers));
    }

    [Fact]
    public void Without_a_configuration_only_the_options_set_in_code_apply() =>
        Assert.True(WeirOptions.Create(null, [new ConfigureOptions<WeirOptions>(static weir => weir.RunInline = true)]).RunInline);

    [Fact]
    public void An_application_reads_its_own_configuration_when_it_starts()
    {
        var services = new ServiceCollection();
        services.AddSingleton<IConfiguration>(Read("""{ "DrainTimeout": "00:00:03" }"""));
        services.AddWeirCatalogs("none", []);
        using var provider = services.BuildServiceProvider();
        Assert.Equal(TimeSpan.FromSeconds(3), provider.GetRequiredService<WeirOptions>().DrainTimeout);
    }

    [Theory]
    [InlineData("""{ "BlockingThreshold": "00:00:00.009" }""", "BlockingThreshold is 00:00:00.0090000; set it to 10 ms to 1 hour, or to null to turn it off. See WEIR3002.")]
    [InlineData("""{ "StarvationThreshold": "00:00:00.05" }""", "StarvationThreshold is 00:00:00.0500000; set it to 100 ms to 1 hour, or to null to turn it off. See WEIR3002.")]
    [InlineData("""{ "StarvationThreshold": "01:00:01" }""", "StarvationThreshold is 01:00:01; set it to 100 ms to 1 hour, or to null to turn it off. See WEIR3002.")]
    public void A_threshold_out_of_its_range_stops_the_start(string json, string message)
    {
        var services = new ServiceCollection();
        services.AddSingleton<IConfiguration>(Read(json));
        services.AddWeirCatalogs("none", []);
        using var provider = services.BuildServiceProvider();
        Assert.Equal(message, Assert.Throws<InvalidOperationException>(provider.GetRequiredService<WeirRuntime>).Message);
    }

    [Fact]
    public void Every_AddWeir_and_Configure_is_applied_in_the_order_of_its_registration()
    {
        var services = new ServiceCollection();
        services.AddWeirCatalogs("none", [], static weir => weir.MaxWorkers = 3);
        services.Configure<WeirOptions>(static weir => weir.MaxWorkers += 4);
        services.AddWeirCatalogs("none", [], static weir => weir.MaxWorkers *= 10);
        services.AddWeirCatalogs("none", []);
        using var provider = services.BuildServiceProvider();
        Assert.Equal(70, provider.GetRequiredService<WeirOptions>().MaxWorkers);
    }

    [Fact]
    public void A_pool_alone_reads_its_own_section()
    {
        var options = new PoolOptions();
        options.Bind(Read("""{ "Pools": { "p": { "MaxWorkers": 3 } } }""").GetSection("Weir:Pools:p"));
        Assert.Equal(3, options.MaxWorkers);
    }

    [Theory]
    [InlineData("MaxWorker", "MaxWorkers")]
    [InlineData("maxworkers", "MaxWorkers")]
    [InlineData("Grace", "CancelGrace")]
    [InlineData("zzz", "A")]
    public void The_suggested_name_is_the_one_with_the_fewest_edits(string written, string nearest) =>
        Assert.Equal(nearest, NearestName.To(written, ["MinWorkers", "MaxWorkers", "CancelGrace", "A"]));

    private static WeirOptions Bind(string json) => WeirOptions.Create(Read(json), []);

    private static IConfigurationRoot Read(string weir) =>
        new ConfigurationBuilder().AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes($$"""{ "Weir": {{weir}} }"""))).Build();
}
