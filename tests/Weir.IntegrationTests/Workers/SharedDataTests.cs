using System.Globalization;
using Weir.Execution.Machine;
using Weir.Execution.Processes.Portable;
using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>Data that all workers read and none copies.</summary>
public sealed class SharedDataTests : IDisposable
{
    private const int Megabytes = 64;
    private const string SharedMemoryName = "weir-data:model";

    private readonly string _path = Path.Combine(Path.GetTempPath(), $"weir-shared-{Guid.NewGuid():N}");

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => File.Delete(_path);

    [Fact]
    public async Task Workers_of_two_pools_map_one_copy_that_none_of_them_has_read_before_its_first_call()
    {
        Write(1, Megabytes << 20);
        await using var first = Start(2);
        await using var second = Start(2);
        await Task.WhenAll(first.WaitUntilReadyAsync(Token), second.WaitUntilReadyAsync(Token));
        int[] workers = [.. Workers(first), .. Workers(second)];
        Assert.Equal(4, workers.Length);
        Assert.All(workers, static worker => Assert.Equal(0, Mapped(worker, "Rss:")));

        foreach (var pool in (WorkerPool[])[first, second])
        {
            var sums = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => pool.GetProxy<INeedyClient>().Greet("all", Token).AsTask()));
            Assert.All(sums, static sum => Assert.Equal("1", sum));
        }

        // Each that has read it has its share of one copy.
        Assert.InRange(workers.Sum(static worker => Mapped(worker, "Pss:")), Megabytes << 9, (Megabytes << 10) + 1024);
        Assert.Equal(new SharedDataSnapshot("model", Megabytes << 20, first.Snapshot().SharedData[0].Generation), Assert.Single(second.Snapshot().SharedData));
    }

    [Fact]
    public async Task A_worker_cannot_write_it()
    {
        Write(1, 8192);
        await using var pool = Start(1);
        Assert.Equal("-1", await pool.GetProxy<INeedyClient>().Greet("write", Token));
    }

    [Fact]
    public async Task A_stream_is_read_once_for_all_workers()
    {
        var opened = 0;
        await using var pool = Start(2, options => options.AddSharedData("model", _ =>
        {
            Interlocked.Increment(ref opened);
            return ValueTask.FromResult<Stream>(new MemoryStream([7, 8]));
        }));
        await pool.WaitUntilReadyAsync(Token);
        Assert.Equal("7 of 2", await pool.GetProxy<INeedyClient>().Greet("", Token));
        Assert.Equal(1, opened);
    }

    [Fact]
    public async Task A_reload_gives_new_bytes_to_new_workers_and_one_that_fails_changes_nothing()
    {
        Write(1, 4096);
        await using var pool = Start(1);
        var needy = pool.GetProxy<INeedyClient>();
        Assert.Equal("1 of 4096", await needy.Greet("", Token));
        var generation = pool.Snapshot().SharedData[0].Generation;

        File.Delete(_path);
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => pool.ReloadAsync(cancellationToken: Token));
        Assert.Contains(_path, refused.Message, StringComparison.Ordinal);
        Assert.Equal("1 of 4096", await needy.Greet("", Token));

        // The worker of the earlier generation keeps its bytes beside the new ones.
        Write(2, 8192);
        Assert.Equal("1 of 4096", await needy.Greet("", Token));
        await pool.ReloadAsync(cancellationToken: Token);
        Assert.Equal("2 of 8192", await needy.Greet("", Token));
        Assert.True(pool.Snapshot().SharedData[0].Generation > generation);
    }

    [Fact]
    public async Task A_worker_that_runs_a_call_during_a_reload_keeps_its_bytes_beside_a_new_one()
    {
        Write(1, 4096);
        var path = _path + ".go";
        try
        {
            await using var pool = Start(1, options =>
            {
                options.MaxWorkers = 2;
                options.AddSharedData("model", _path);
            });
            var needy = pool.GetProxy<INeedyClient>();
            var running = needy.Greet(path, Token).AsTask();
            Assert.True(await ProcFiles.EventuallyAsync(() => File.Exists(path + ".begun"), TimeSpan.FromSeconds(60)));
            Write(2, 8192);
            var generation = pool.Snapshot().SharedData[0].Generation;
            var reloading = pool.ReloadAsync(cancellationToken: Token);
            Assert.True(await ProcFiles.EventuallyAsync(() => pool.Snapshot().SharedData[0].Generation > generation, TimeSpan.FromSeconds(60)));

            Assert.Equal("2 of 8192", await needy.Greet("", Token));
            Assert.False(running.IsCompleted);
            await File.WriteAllTextAsync(path, "", Token);
            Assert.Equal("1 of 4096", await running);
            await reloading;
        }
        finally
        {
            File.Delete(path);
            File.Delete(path + ".begun");
        }
    }

    [Fact]
    public async Task The_doctor_counts_it_once_however_many_workers_of_two_pools_map_it()
    {
        Write(1, Megabytes << 20);
        await using var first = Start(2);
        await using var second = Start(2);
        await Task.WhenAll(first.WaitUntilReadyAsync(Token), second.WaitUntilReadyAsync(Token));
        var finding = Assert.Single(MachineProbe.Resources(), static one => one.Name == "shared data model" && one.Level == $"{Megabytes} MB, once");
        Assert.StartsWith("held by 5 processes, ", finding.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Of_an_earlier_generation_nothing_is_left_once_nothing_uses_it()
    {
        Write(1, 4096);
        var workers = new HashSet<int>();

        // What this process mapped itself, as a host of operations that run inline, it keeps.
        var own = ProcFiles.MemoryFiles(Environment.ProcessId, SharedMemoryName);
        string[] Held() => [.. ProcFiles.MemoryFiles(Environment.ProcessId, SharedMemoryName).Except(own)];
        await using (var pool = Start(2))
        {
            await pool.WaitUntilReadyAsync(Token);
            Assert.All(await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => pool.GetProxy<INeedyClient>().Greet("", Token).AsTask())), static one => Assert.Equal("1 of 4096", one));
            workers.UnionWith(Workers(pool));
            var earlier = Assert.Single(Held());
            Assert.All(workers, worker => Assert.Equal([earlier], ProcFiles.MemoryFiles(worker, SharedMemoryName)));

            Write(2, 8192);
            await pool.ReloadAsync(cancellationToken: Token);
            Assert.Equal("2 of 8192", await pool.GetProxy<INeedyClient>().Greet("", Token));
            Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.AllPids().Any(pid => ProcFiles.MemoryFiles(pid, SharedMemoryName).Contains(earlier)), TimeSpan.FromSeconds(60)), "The earlier generation is still held.");
            Assert.Single(Held());
            workers.UnionWith(Workers(pool));
        }

        // Of the last one neither, when the pool has ended.
        Assert.True(await ProcFiles.EventuallyAsync(() => Held().Length == 0, TimeSpan.FromSeconds(60)), "The host still holds it.");
        Assert.All(workers, static worker => Assert.False(ProcFiles.IsRunning(worker)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Workers_that_inherit_no_descriptor_map_the_file_or_one_with_what_a_stream_had(bool isStream)
    {
        Write(1, 4096);
        var own = ProcFiles.MemoryFiles(Environment.ProcessId, SharedMemoryName);
        var temporary = Directory.GetFiles(Path.GetTempPath(), "weir-data-*");
        string[] Spooled() => [.. Directory.GetFiles(Path.GetTempPath(), "weir-data-*").Except(temporary)];
        await using (var pool = Start(2, options =>
        {
            options.Launcher = new PortableLauncher();
            if (isStream)
            {
                options.AddSharedData("model", _ => new ValueTask<Stream>(File.OpenRead(_path)));
            }
            else
            {
                options.AddSharedData("model", _path);
            }
        }))
        {
            await pool.WaitUntilReadyAsync(Token);
            Assert.All(await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => pool.GetProxy<INeedyClient>().Greet("", Token).AsTask())), static one => Assert.Equal("1 of 4096", one));
            var file = isStream ? Assert.Single(Spooled()) : _path;
            Assert.All(Workers(pool), worker => Assert.Contains(File.ReadLines($"/proc/{worker}/maps"), line => line.Contains(" r--s ", StringComparison.Ordinal) && line.EndsWith(file, StringComparison.Ordinal)));
            Assert.Equal(own, ProcFiles.MemoryFiles(Environment.ProcessId, SharedMemoryName));
        }

        Assert.True(File.Exists(_path));
        Assert.True(await ProcFiles.EventuallyAsync(() => Spooled().Length == 0, TimeSpan.FromSeconds(60)));
    }

    [Fact]
    public void A_file_that_does_not_exist_stops_the_application()
    {
        var failure = Assert.Throws<InvalidOperationException>(() => Start(1));
        Assert.StartsWith($"SharedData:model of pool 'needy' is '{_path}', which cannot be read", failure.Message, StringComparison.Ordinal);
        Assert.EndsWith($"See {WeirCodes.InvalidOptions}.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void One_name_with_two_sources_stops_the_application_and_both_pools_are_named()
    {
        Write(1, 4096);
        var failure = Assert.Throws<InvalidOperationException>(() => new Application(options =>
        {
            options.Pool("needy").AddSharedData("model", _path);
            options.Pool("probe").AddSharedData("model", Environment.ProcessPath!);
        }));
        Assert.Contains("needy", failure.Message, StringComparison.Ordinal);
        Assert.Contains("probe", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Operations_that_run_in_the_host_read_the_same_bytes()
    {
        Write(3, 4096);
        await using var application = new Application(options =>
        {
            options.RunInline = true;
            options.Pool("needy").Configuration["start"] = "share";
            options.Pool("needy").AddSharedData("model", _path);
        });
        Assert.Equal("3 of 4096", await application.Get<INeedyClient>().Greet("", Token));
    }

    private WorkerPool Start(int workers, Action<PoolOptions>? share = null) => FreshPool.Start("needy", options =>
    {
        (options.MinWorkers, options.MaxWorkers) = (workers, workers);
        options.Configuration["start"] = "share";
        (share ?? (one => one.AddSharedData("model", _path)))(options);
    });

    // Sparse: one byte that is not zero.
    private void Write(byte first, int length)
    {
        using var file = File.Create(_path);
        file.SetLength(length);
        file.WriteByte(first);
    }

    private static IEnumerable<int> Workers(WorkerPool pool) => pool.Snapshot().Workers.Select(static worker => worker.ProcessId);

    // In KB.
    private static long Mapped(int worker, string figure) => long.Parse(
        File.ReadLines($"/proc/{worker}/smaps").SkipWhile(static line => !line.Contains("/memfd:weir-data", StringComparison.Ordinal))
            .First(line => line.StartsWith(figure, StringComparison.Ordinal))[figure.Length..].TrimEnd('k', 'B', ' '),
        CultureInfo.InvariantCulture);
}
