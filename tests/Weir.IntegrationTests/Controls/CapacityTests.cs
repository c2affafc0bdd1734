using System.Text.Json;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Processes.Linux.Limits;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>Capacity for workers over all pools of an application.</summary>
public class CapacityTests
{
    private const double Soon = 60;

    [Fact]
    public async Task An_idle_worker_of_one_pool_is_ended_for_a_worker_of_another_one()
    {
        await using var application = Start(1);
        var first = JsonSerializer.Deserialize<int>(await application.CallAsync("Controlled/ProcessId"));
        Assert.Equal("\"Hello, Ada\"", await application.CallAsync("Needy/Greet", """{"name":"Ada"}""").WithinAsync(Soon));
        Assert.False(ProcFiles.IsRunning(first));
        Assert.NotEqual(first, JsonSerializer.Deserialize<int>(await application.CallAsync("Controlled/ProcessId").WithinAsync(Soon)));
    }

    [Fact]
    public async Task A_worker_at_work_is_waited_for()
    {
        await using var application = Start(1);
        using var checkpoint = new Checkpoint();
        var busy = application.CallAsync("Controlled/Hold", $$"""{"checkpoint":"{{checkpoint.Folder}}"}""");
        await checkpoint.ReachedAsync();
        var waiting = application.CallAsync("Needy/Greet", """{"name":"Ada"}""");
        Assert.True(await ProcFiles.EventuallyAsync(() => application.Runtime.Pools.Any(static pool => pool.Queued == 1), TimeSpan.FromSeconds(Soon)));
        Assert.Equal(1, application.Runtime.Pools.Sum(static pool => pool.Workers.Count));
        Assert.False(waiting.IsCompleted);
        checkpoint.Open();
        await busy.WithinAsync(Soon);
        await waiting.WithinAsync(Soon);
    }

    [Fact]
    public void All_minima_together_must_fit()
    {
        var failure = Assert.Throws<InvalidOperationException>(() => new Application(weir =>
        {
            weir.MaxWorkers = 2;
            (weir.Pool("controlled").MinWorkers, weir.Pool("controlled").MaxWorkers) = (3, 3);
        }));
        Assert.StartsWith("MaxWorkers is 2; ", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void This_machine_has_figures_and_some_capacity()
    {
        var figures = new MachineResources().Read();
        Assert.InRange(figures.FreeMemory!.Value, 64L << 20, long.MaxValue);
        Assert.InRange(figures.FreeProcesses!.Value, 100, int.MaxValue);
        Assert.InRange(figures.FreeDescriptors!.Value, 100, long.MaxValue);
        Assert.InRange(CapacityEstimate.Of(figures, CapacityEstimate.UsualMemory).Workers, 1, int.MaxValue);
    }

    [Fact]
    public async Task The_private_memory_of_a_worker_is_known()
    {
        await using var pool = new ControlledPool(_ => { });
        var worker = await pool.AskAsync<int>("ProcessId");
        var before = PrivateMemory.Read(worker)!.Value;
        await pool.AskAsync<int>("Leak", """{"megabytes":50}""");
        Assert.InRange(PrivateMemory.Read(worker)!.Value - before, 45L << 20, 70L << 20);
    }

    private static Application Start(int most) => new(weir => weir.MaxWorkers = most);
}
