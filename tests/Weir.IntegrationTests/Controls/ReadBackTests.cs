using System.Diagnostics;
using Weir.Execution.Processes.Linux.Limits;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>Every limit, asked for in the pool's options and read back inside the worker by what its own kernel says.</summary>
public class ReadBackTests
{
    [Fact]
    public async Task Workers_have_less_priority_than_the_host_on_every_thread()
    {
        await using var pool = new ControlledPool(_ => { });
        var nice = await pool.AskAsync<int[]>("Priorities");
        Assert.True(nice.Length > 1, "a worker has more threads than one");
        Assert.All(nice, level => Assert.Equal(Math.Min(19, NiceLevel.OfThisProcess + 10), level));
        Assert.Equal(nice[0], pool.Limits.Nice);
    }

    [Theory]
    [InlineData(ProcessPriorityClass.Idle, 19)]
    [InlineData(ProcessPriorityClass.Normal, 0)]
    public async Task Priority_is_what_the_options_say_on_every_thread(ProcessPriorityClass priority, int level)
    {
        await using var pool = new ControlledPool(options => options.Priority = priority);
        var expected = level == 0 ? NiceLevel.OfThisProcess : level;
        Assert.All(await pool.AskAsync<int[]>("Priorities"), nice => Assert.Equal(expected, nice));
        Assert.Equal(expected, pool.Limits.Nice);
    }

    [Fact]
    public async Task A_worker_runs_and_counts_on_its_own_processors()
    {
        var own = Affinity.Read(0)!;
        Assert.SkipWhen(own.Count < 2, "this machine lets the tests use one processor only");
        await using var pool = new ControlledPool(options => options.Processors = [own[^1]]);
        Assert.Equal([$"{own[^1]}"], await pool.AskAsync<string[]>("Processors"));
        Assert.Equal(1, await pool.AskAsync<int>("ProcessorCount"));
        Assert.Equal([own[^1]], pool.Limits.Processors);
    }

    [Fact]
    public async Task The_thread_that_spawns_goes_back_to_where_it_was()
    {
        var own = Affinity.Read(0)!;
        Assert.SkipWhen(own.Count < 2, "this machine lets the tests use one processor only");
        await using (var narrow = new ControlledPool(options => options.Processors = [own[0]]))
        {
            Assert.Equal(1, await narrow.AskAsync<int>("ProcessorCount"));
        }

        await using var wide = new ControlledPool(_ => { });
        Assert.Equal(own.Count, await wide.AskAsync<int>("ProcessorCount"));
    }

    [Fact]
    public async Task A_worker_is_chosen_before_the_host_when_memory_runs_out()
    {
        await using var usual = new ControlledPool(_ => { });
        Assert.Equal(Math.Min(1000, OomScoreAdjuster.OfThisProcess + 500), await usual.AskAsync<int>("OomScore"));
        await using var most = new ControlledPool(options => options.OomScoreAdjustment = 1000);
        Assert.Equal(1000, await most.AskAsync<int>("OomScore"));
        Assert.Equal(1000, most.Limits.OomScoreAdjustment);
    }

    [Fact]
    public async Task The_memory_limit_is_the_workers_own_hard_limit()
    {
        await using var pool = new ControlledPool(options => options.MemoryLimitBytes = 512 << 20);
        Assert.Equal(512 << 20, await pool.AskAsync<long>("MemoryLimit"));
        Assert.Equal(512 << 20, pool.Limits.MemoryBytes);
        Assert.Equal(384 << 20, await pool.AskAsync<long>("HeapLimit"));
        Assert.False(await pool.AskAsync<bool>("ServerCollector"));
    }

    [Fact]
    public async Task A_worker_sees_the_variables_that_it_is_allowed_and_those_that_it_is_given()
    {
        Environment.SetEnvironmentVariable("WEIR_TEST_SECRET", "of the host");
        await using var pool = new ControlledPool(options =>
        {
            options.InheritedVariables = ["PATH"];
            options.EnvironmentVariables["WORD"] = "Grüße = 1";
        });
        Assert.Equal("Grüße = 1", await pool.AskAsync<string>("Variable", """{"name":"WORD"}"""));
        Assert.All(
            await pool.AskAsync<string[]>("Variables"),
            name => Assert.True(name is "PATH" or "WORD" || name.StartsWith("DOTNET_", StringComparison.Ordinal), $"{name} came along"));
    }

    [Fact]
    public async Task A_worker_needs_nothing_of_the_hosts_environment()
    {
        await using var pool = new ControlledPool(options => options.InheritedVariables = []);
        Assert.Equal("(none)", await pool.AskAsync<string>("Variable", """{"name":"PATH"}"""));
    }

    [Fact]
    public async Task A_worker_starts_where_it_is_told()
    {
        var folder = Directory.CreateTempSubdirectory("weir-");
        try
        {
            await using var pool = new ControlledPool(options => options.WorkingDirectory = folder.FullName);
            Assert.Equal(folder.FullName, await pool.AskAsync<string>("Folder"));
        }
        finally
        {
            folder.Delete();
        }
    }

    [Fact]
    public async Task The_pool_says_what_was_applied()
    {
        await using var pool = new ControlledPool(options => options.MemoryLimitBytes = 512 << 20);
        await pool.AskAsync<int>("ProcessorCount");
        Assert.Contains("memory 512 MB (RLIMIT_DATA)", pool.Pool.Isolation, StringComparison.Ordinal);
        Assert.Contains($"nice {pool.Limits.Nice}", pool.Pool.Isolation, StringComparison.Ordinal);
    }
}
