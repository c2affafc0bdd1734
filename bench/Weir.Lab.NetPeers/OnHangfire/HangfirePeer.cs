using Hangfire;
using Hangfire.InMemory;
using Hangfire.PostgreSql;
using Hangfire.PostgreSql.Factories;
using Hangfire.States;
using Hangfire.Storage.SQLite;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using HangfireJob = Hangfire.Common.Job;

namespace Weir.Lab.NetPeers.OnHangfire;

/// <summary>Hangfire with one server in this process.</summary>
internal static class HangfirePeer
{
    /// <summary>
    /// <c>store</c> is sqlite, postgresql or memory; <c>workers</c> and <c>poll</c> and <c>invisible</c> (ms) are what the defaults are replaced by; <c>directory</c> has an existing store, or <c>connection</c> names it;
    /// <c>notify=yes</c> lets PostgreSQL wake its workers; <c>threads</c> are what the pool of threads begins with, because submitting blocks one; <c>witness</c> is a folder in which jobs write
    /// down that they begin and end; <c>queues=yes</c> has one for each tenant.
    /// </summary>
    public static void Run(ControlLine settings)
    {
        var own = settings.Text("directory", "").Length == 0 ? Directory.CreateTempSubdirectory("weir-lab-hangfire-") : null;
        var directory = own ?? new DirectoryInfo(settings["directory"]);
        var (witness, hasQueues) = (settings.Text("witness", ""), settings.Is("queues", "yes"));
        Environment.SetEnvironmentVariable(Witness.FolderVariable, witness.Length == 0 ? null : witness);
        if (settings.Int("threads", 0) is > 0 and var threads)
            ThreadPool.SetMinThreads(threads, threads);
        var storage = Storage(settings, directory);
        var ends = new Ends();
        GlobalJobFilters.Filters.Add(ends);
        var options = new BackgroundJobServerOptions();
        options.WorkerCount = settings.Int("workers", options.WorkerCount);
        options.Queues = hasQueues ? HangfireFair.Queues : options.Queues;
        var client = new BackgroundJobClient(storage);
        var (fair, chaos) = (new HangfireFair(client, ends, witness, hasQueues), new HangfireChaos(storage, client, ends, witness));

        // The expression is read once.
        var (nothing, stamp) = (HangfireJob.FromExpression(() => HangfireWorks.Nothing(41)), HangfireJob.FromExpression(() => HangfireWorks.Stamp()));
        using (new BackgroundJobServer(options, storage))
        {
            PeerLoop.Run(new ControlLine("ready"), async request => (request.Verb, request.Text("what", "")) switch
            {
                ("answer", "each inline") => [await EachOnceAsync(request)],
                ("answer", _) => [new ControlLine("ok").With("answer", $"{((SucceededState)await SubmitAsync(nothing)).Result}")],
                ("run", "inline") => [.. await JobRounds.ThroughputAsync(request, directory.FullName, () => SubmitAsync(nothing)), Readings.Done()],
                ("run", "latency") => [.. await JobRounds.LatencyAsync(request, directory.FullName, StampAsync), Readings.Done()],
                ("fill-unfairly", _) => [await DoneAsync(Task.Run(() => fair.Fill(request)))],
                ("fair", _) => await fair.RunAsync(request),
                ("submit", _) => [await DoneAsync(chaos.SubmitAsync(request))],
                ("settle", _) => [await DoneAsync(chaos.SettleAsync(request))],
                var other => throw new NotSupportedException($"Hangfire's contender does not know '{other}'."),
            });
        }

        own?.Delete(recursive: true);

        async Task<ControlLine> EachOnceAsync(ControlLine request)
        {
            var before = HangfireWorks.TimesCounted;
            var results = await Task.WhenAll(Enumerable.Range(0, request.Int("count")).Select(async number =>
                ((SucceededState)await SubmitAsync(HangfireJob.FromExpression(() => HangfireWorks.Counted(number)))).Result));
            return new ControlLine("ok").With("answer", FormattableString.Invariant($"{results.Length} jobs, {HangfireWorks.TimesCounted - before} runs, {results.Distinct().Count()} results"));
        }

        Task<IState> SubmitAsync(HangfireJob job) => EndAsync(Create(job));

        string Create(HangfireJob job)
        {
            try
            {
                return client.Create(job, new EnqueuedState());
            }
            catch (BackgroundJobClientException failure)
            {
                throw new InvalidDataException($"A job was not created: {failure.GetBaseException().Message}", failure);
            }
        }

        async Task<IState> EndAsync(string id) => await ends.WaitAsync(id) is SucceededState succeeded
            ? succeeded
            : throw new InvalidDataException("A job failed.");

        static async Task<ControlLine> DoneAsync(Task work)
        {
            await work;
            return Readings.Done();
        }

        async Task<(long Accepted, long Started)> StampAsync()
        {
            var id = client.Create(stamp, new EnqueuedState());
            var accepted = Clock.Now;
            await EndAsync(id);
            return (accepted, HangfireWorks.Started);
        }
    }

    private static JobStorage Storage(ControlLine settings, DirectoryInfo directory)
    {
        if (settings.Is("store", "memory"))
            return new InMemoryStorage();
        if (settings.Is("store", "postgresql"))
            return OnPostgreSql(settings);

        var options = new SQLiteStorageOptions();
        options.QueuePollInterval = settings.Int("poll", 0) is > 0 and var poll ? TimeSpan.FromMilliseconds(poll) : options.QueuePollInterval;
        options.InvisibilityTimeout = settings.Int("invisible", 0) is > 0 and var time ? TimeSpan.FromMilliseconds(time) : options.InvisibilityTimeout;
        return new SQLiteStorage(Path.Combine(directory.FullName, "hangfire.db"), options);
    }

    private static PostgreSqlStorage OnPostgreSql(ControlLine settings)
    {
        var options = new PostgreSqlStorageOptions();
        options.EnableLongPolling = settings.Is("notify", "yes");
        options.QueuePollInterval = settings.Int("poll", 0) is > 0 and var poll ? TimeSpan.FromMilliseconds(poll) : options.QueuePollInterval;
        options.InvisibilityTimeout = settings.Int("invisible", 0) is > 0 and var time ? TimeSpan.FromMilliseconds(time) : options.InvisibilityTimeout;
        return new PostgreSqlStorage(new NpgsqlConnectionFactory(settings["connection"], options), options);
    }
}
