using System.Net;
using System.Runtime.InteropServices;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>A host that the machine gives nothing more: it answers, and it stays.</summary>
[Collection(nameof(Alone))]
public sealed partial class StarvedHostTests
{
    private const int OpenFiles = 7;
    private const double Soon = 30;
    private const string Threads = "4";
    private const string ProcessGroups = "/sys/fs/cgroup/pids";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_host_without_a_free_descriptor_goes_on_with_the_workers_it_has_when_a_pool_wants_to_grow()
    {
        // The runtime ends a process in which the thread pool starts a thread and there is no descriptor: here it has all its threads before.
        await using var showcase = await ShowcaseProcess.StartAsync(environment: new Dictionary<string, string>
        {
            ["DOTNET_ThreadPool_ForceMinWorkerThreads"] = Threads,
            ["DOTNET_ThreadPool_ForceMaxWorkerThreads"] = Threads,
        });

        // 1. The pool has one worker of two, and threads and connections are there before there is no descriptor for another worker.
        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => showcase.Client.GetStringAsync("/Sleep/BioPlain?ms=300", Cancel)));
        await EatAsync(showcase, 0);
        var before = OpenDescriptors(showcase.Pid);
        Assert.True(before > 10);
        Limit(showcase.Pid, 10);

        // 2. Four calls for one worker.
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => EatAsync(showcase, 1))).WithinAsync(Soon);
        Assert.Equal("Hello, world", await HelloAsync(showcase));

        // 3. No process of it remains.
        Limit(showcase.Pid, 4096);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => EatAsync(showcase, 1))).WithinAsync(Soon);
        Assert.Equal(0, await showcase.TerminateAsync());
    }

    [Fact]
    public async Task Every_pool_has_its_first_worker_also_where_the_host_keeps_all_free_descriptors_for_itself()
    {
        // Enough for its assemblies, each of which the runtime keeps open, and less than the host keeps for itself besides.
        await using var showcase = await ShowcaseProcess.StartAsync(before: "ulimit -n 300");
        await HashAsync(showcase).WithinAsync(Soon);
        await EatAsync(showcase, 0).WithinAsync(Soon);
        Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Output.Contains("128 of them are kept for the host", StringComparison.Ordinal), TimeSpan.FromSeconds(Soon)), showcase.Output);
    }

    [Fact]
    public async Task Every_pool_has_its_first_worker_also_where_few_more_processes_may_be_started()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess && Directory.Exists(ProcessGroups), "needs root and the version 1 control groups of processes");
        var group = Directory.CreateDirectory($"{ProcessGroups}/weir-test-{Guid.NewGuid():N}").FullName;
        try
        {
            await File.WriteAllTextAsync($"{group}/pids.max", "128", Cancel);
            await using var showcase = await ShowcaseProcess.StartAsync(["--Weir:Lane:MinThreads=0"], before: $"echo $$ > {group}/cgroup.procs");
            await Task.WhenAll(HashAsync(showcase), EatAsync(showcase, 0), showcase.Client.GetStringAsync("/Weather/NextIsolated.ndjson?days=2&delay=1", Cancel)).WithinAsync(Soon);

            // It asks for a limit that keeps one worker from taking all of them.
            Assert.Contains("share a limit of 128 processes and threads", showcase.Output, StringComparison.Ordinal);
            await showcase.TerminateAsync();
        }
        finally
        {
            Assert.True(await ProcFiles.EventuallyAsync(() => TryRemove(group), TimeSpan.FromSeconds(Soon)));
        }
    }

    [Fact]
    public Task A_host_that_was_stopped_kills_no_worker_whose_answer_it_has_not_read() => StopAndContinueAsync(2);

    [Fact, Trait("Kind", "Long")]
    public Task A_host_that_was_stopped_often_kills_no_worker_whose_answer_it_has_not_read() => StopAndContinueAsync(40);

    // The caller cancels, and the host is stopped (SIGSTOP) before it has handled that; the worker stops at once when it is notified.
    private static async Task StopAndContinueAsync(int rounds)
    {
        await using var showcase = await ShowcaseProcess.StartAsync();
        for (var round = 0; round < rounds; round++)
        {
            using (var response = await showcase.Client.GetAsync("/Weather/NextIsolated.ndjson?days=10000&delay=20", HttpCompletionOption.ResponseHeadersRead, Cancel))
            {
                await using var items = await response.Content.ReadAsStreamAsync(Cancel);
                await items.ReadExactlyAsync(new byte[1], Cancel);
            }

            Thread.SpinWait(round * 20_000);
            Assert.Equal(0, Signals.Send(showcase.Pid, Signals.Stop));
            await Task.Delay(TimeSpan.FromSeconds(3), Cancel);
            Assert.Equal(0, Signals.Send(showcase.Pid, Signals.Continue));
            await showcase.Client.GetStringAsync("/Weather/NextIsolated.ndjson?days=2&delay=1", Cancel).WithinAsync(Soon);
        }

        Assert.DoesNotContain("did not end within the grace", showcase.Output, StringComparison.Ordinal);
        Assert.Equal(0, await showcase.TerminateAsync());
    }

    private static async Task EatAsync(ShowcaseProcess showcase, int seconds)
    {
        using var response = await showcase.Client.PostAsync($"/Neighbour/EatCpu?seconds={seconds}", null, Cancel);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
    }

    private static async Task HashAsync(ShowcaseProcess showcase)
    {
        using var response = await showcase.Client.GetAsync("/Hasher/DoTask?size=1000", Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    private static Task<string> HelloAsync(ShowcaseProcess showcase) => showcase.Client.GetStringAsync("/Hello/World", Cancel);

    private static int OpenDescriptors(int pid) => Directory.GetFileSystemEntries($"/proc/{pid}/fd").Length;

    private static void Limit(int pid, ulong descriptors) => Assert.Equal(0, SetLimit(pid, OpenFiles, new Bounds { Soft = descriptors, Hard = 4096 }, 0));

    private static bool TryRemove(string group)
    {
        try
        {
            Directory.Delete(group);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    [LibraryImport("libc", EntryPoint = "prlimit")]
    private static partial int SetLimit(int pid, int resource, in Bounds fresh, nint old);

    [StructLayout(LayoutKind.Sequential)]
    private struct Bounds
    {
        public ulong Soft;
        public ulong Hard;
    }
}
