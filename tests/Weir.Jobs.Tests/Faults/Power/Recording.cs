using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Sqlite;

namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>All that the application under test did with a file of jobs, from its creation on, in processes one after the other, by <c>strace</c>.</summary>
internal sealed class Recording
{
    private const string Calls = "openat,unlink,unlinkat,write,pwrite64,pwritev,pwritev2,ftruncate,fsync,fdatasync";
    private const string Mix = "Once*6,Repeatable*4,Pages*2,Flaky*4,Again*2,Echo*9,Slow*1,SlowRepeatable*1";

    private static readonly Lazy<Task<Recording>> Some = new(static () => RecordAsync((Mix, true), (Mix, false), (Mix, false)));

    private Recording(List<DiskEvent> events, List<int> ends, Dictionary<Guid, StoredJob> jobs, string store) => (Events, Ends, Jobs, Store) = (events, ends, jobs, store);

    /// <summary>In the order in which they happened.</summary>
    public List<DiskEvent> Events { get; }

    /// <summary>For each process how many events there were at its end.</summary>
    public List<int> Ends { get; }

    /// <summary>All jobs as they were in the end.</summary>
    public Dictionary<Guid, StoredJob> Jobs { get; }

    /// <summary>The name of the file.</summary>
    public string Store { get; }

    /// <summary>Three processes: one is killed, one finds its log, one finds a file that was closed.</summary>
    public static Task<Recording> SmallAsync() => Some.Value;

    /// <summary>One process that copies its log into the file while it works, and begins the log again.</summary>
    public static Task<Recording> LargeAsync() => RecordAsync(("Bulky*200,Echo*20,Once*40", false));

    /// <summary>The disk after that many events, with what was known then.</summary>
    public (Disk Disk, Witness Witness) At(int count)
    {
        var (disk, witness) = (new Disk(), new Witness());
        for (var number = 0; number < count; number++)
        {
            disk.Apply(Events[number]);
            witness.Hear(Events[number].Words);
        }

        return (disk, witness);
    }

    private static async Task<Recording> RecordAsync(params (string Calls, bool IsKilled)[] runs)
    {
        using var rig = new FaultRig();
        var (directory, store) = (Path.GetDirectoryName(rig.Store)!, Path.GetFileName(rig.Store));
        var reader = new TraceReader(directory, store);
        var ends = new List<int>();
        foreach (var (calls, isKilled) in runs)
        {
            var trace = Path.Combine(directory, "trace");
            using (var host = await rig.RunTracedAsync(["--seccomp-bpf", "-y", "-xx", "-s", "8192", "-o", trace, "-e", "signal=none", "-e", $"trace={Calls}"], "follow", calls, "--Seed", $"{ends.Count + 1}", "--Submitters", "3"))
            {
                Assert.Contains("stopped", host.Said, StringComparison.Ordinal);
            }

            reader.Read(trace);

            // Nothing is missing in the recording: with all of it, the files are what they are.
            var files = Replay(reader.Events);
            foreach (var name in new[] { store, store + "-wal", store + "-journal" })
            {
                var path = Path.Combine(directory, name);
                Assert.Equal(File.Exists(path), files.ContainsKey(name));
                Assert.True(!File.Exists(path) || File.ReadAllBytes(path).AsSpan().SequenceEqual(files[name]), $"The recording of '{name}' is not complete.");
            }

            if (isKilled)
            {
                // As if it was killed when it had written a commit to the log, and not synced it: the next process finds it.
                reader.Forget(reader.Events.FindLastIndex(reader.Events.Count * 2 / 3, one => one.Call == DiskCall.Sync && one.Name == store + "-wal"));
                foreach (var file in Directory.GetFiles(directory, store + "*"))
                {
                    File.Delete(file);
                }

                foreach (var (name, bytes) in Replay(reader.Events))
                {
                    await File.WriteAllBytesAsync(Path.Combine(directory, name), bytes);
                }
            }

            ends.Add(reader.Events.Count);
        }

        await using var last = new SqliteJobStore(rig.Store, StoreDirectory.OwnerWait, TimeProvider.System);
        await last.OpenAsync(new JobReplica(Guid.NewGuid(), []), CancellationToken.None);
        return new Recording(reader.Events, ends, await StoredJob.ReadAllAsync(last, CancellationToken.None), store);
    }

    private static Dictionary<string, byte[]> Replay(List<DiskEvent> events)
    {
        var disk = new Disk();
        events.ForEach(disk.Apply);
        return disk.Cut(Loss.Nothing, new Random(0));
    }
}
