using Hangfire;
using Hangfire.InMemory;
using Hangfire.States;
using Hangfire.Storage.SQLite;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;
using HangfireJob = Hangfire.Common.Job;

namespace Weir.Lab.NetPeers.OnHangfire;

/// <summary>Hangfire with one server in this process.</summary>
internal static class HangfirePeer
{
    /// <summary><c>store</c> is sqlite or memory; <c>workers</c> and <c>poll</c> (ms) are what the defaults are replaced by.</summary>
    public static void Run(ControlLine settings)
    {
        var directory = Directory.CreateTempSubdirectory("weir-lab-hangfire-");
        var storage = Storage(settings, directory);
        var ends = new Ends();
        GlobalJobFilters.Filters.Add(ends);
        var options = new BackgroundJobServerOptions();
        options.WorkerCount = settings.Int("workers", options.WorkerCount);
        var client = new BackgroundJobClient(storage);

        // The expression is read once.
        var (nothing, stamp) = (HangfireJob.FromExpression(() => HangfireWorks.Nothing(41)), HangfireJob.FromExpression(() => HangfireWorks.Stamp()));
        using (new BackgroundJobServer(options, storage))
        {
            PeerLoop.Run(new ControlLine("ready"), async request => (request.Verb, request["what"]) switch
            {
                ("answer", _) => [new ControlLine("ok").With("answer", $"{((SucceededState)await SubmitAsync(nothing)).Result}")],
                ("run", "inline") => [.. await JobRounds.ThroughputAsync(request, directory.FullName, () => SubmitAsync(nothing)), Readings.Done()],
                ("run", "latency") => [.. await JobRounds.LatencyAsync(request, directory.FullName, StampAsync), Readings.Done()],
                var other => throw new NotSupportedException($"Hangfire's contender does not know '{other}'."),
            });
        }

        directory.Delete(recursive: true);

        async Task<IState> SubmitAsync(HangfireJob job) => await ends.WaitAsync(client.Create(job, new EnqueuedState())) is SucceededState succeeded
            ? succeeded
            : throw new InvalidDataException("A job failed.");

        async Task<long> StampAsync()
        {
            await SubmitAsync(stamp);
            return HangfireWorks.Started;
        }
    }

    private static JobStorage Storage(ControlLine settings, DirectoryInfo directory)
    {
        if (settings.Is("store", "memory"))
            return new InMemoryStorage();

        var options = new SQLiteStorageOptions();
        options.QueuePollInterval = settings.Int("poll", 0) is > 0 and var poll ? TimeSpan.FromMilliseconds(poll) : options.QueuePollInterval;
        return new SQLiteStorage(Path.Combine(directory.FullName, "hangfire.db"), options);
    }
}
