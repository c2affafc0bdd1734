using System.Buffers.Binary;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>
/// Bits of the file and of its log have changed, or their ends are missing. That is refused at the start, or reported by what reads the damaged jobs, and all else is as it was. What nothing can tell:
/// <list type="bullet">
/// <item>Damage in the last transaction of the log, and a log that ends at an earlier one or is missing: a power cut before the last sync, and a copy of the file by <c>VACUUM INTO</c>, look the same.</item>
/// <item>A file without a log that was cut to nothing: a new one looks the same.</item>
/// <item>Bits of columns of a job that no index has, such as its times and counters: they have no check. Its id, kind, state, key and due time while they count are in indexes, which are compared with
/// the table when a small file is opened; arguments, results, items and failures have checks.</item>
/// </list>
/// </summary>
public sealed class DamagedStoreTests(ITestOutputHelper output)
{
    private const int PageSize = 4096;
    private const int LogHeader = 32;
    private const int FrameSize = 24 + PageSize;

    /// <summary>What the files are like.</summary>
    public enum Moment
    {
        /// <summary>A process was killed before it has copied anything into the file.</summary>
        Killed,

        /// <summary>A process works on a file that has jobs of others.</summary>
        Open,

        /// <summary>There is no log.</summary>
        Closed,
    }

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(Moment.Closed, 160)]
    [InlineData(Moment.Open, 40)]
    public async Task A_bit_of_the_file_that_has_changed_loses_no_job_silently(Moment moment, int samples)
    {
        using var store = await DamagedStore.OfAsync(moment);
        var (whole, random) = (store.Files[store.Name], new Random(1));
        var trees = Enumerable.Range(0, whole.Length / PageSize).Where(page => whole[page * PageSize] is 2 or 5 or 10 or 13).ToList();
        for (var sample = 0; sample < samples; sample++)
        {
            // Mostly pages with rows, and of those mostly the beginning, which says where the rows are: the others are parts of large values.
            var page = sample % 4 == 0 ? random.Next(whole.Length / PageSize) : trees[random.Next(trees.Count)];
            var bit = random.Next(sample % 2 == 0 ? PageSize * 8 : 100 * 8);
            await store.CheckAsync(store.Name, Flip(whole, ((long)page * PageSize * 8) + bit), $"Bit {bit} of page {page}, sample {sample}");
        }

        output.WriteLine($"{moment}: {store}");
        Assert.True(store.Refused + store.Reported > 0, $"{store}");
    }

    [Theory, Trait("Kind", "Long")]
    [InlineData(Moment.Closed, 8_000)]
    [InlineData(Moment.Open, 4_000)]
    public Task Any_bit_of_the_file_that_has_changed_loses_no_job_silently(Moment moment, int samples) => A_bit_of_the_file_that_has_changed_loses_no_job_silently(moment, samples);

    [Theory]
    [InlineData(Moment.Killed, 60)]
    [InlineData(Moment.Open, 60)]
    public async Task A_bit_of_the_log_that_has_changed_is_refused_unless_it_is_in_the_last_transaction(Moment moment, int samples)
    {
        using var store = await DamagedStore.OfAsync(moment);
        var (name, random) = (store.Name + "-wal", new Random(2));
        var whole = store.Files[name];
        var commits = Commits(whole);
        Assert.True(commits.Count > 5, $"{commits.Count}");
        for (var sample = 0; sample < samples; sample++)
        {
            // One of four in a header.
            var frame = random.Next(commits[^1] + 1);
            var bit = sample % 16 == 0 ? random.Next(LogHeader * 8) : ((LogHeader + ((long)frame * FrameSize)) * 8) + random.Next(sample % 4 == 1 ? 24 * 8 : FrameSize * 8);
            var at = (int)((bit / 8) - LogHeader) / FrameSize;
            var what = $"Bit {bit} of the log, in frame {at} of {whole.Length / FrameSize}, sample {sample}";
            if (at < commits[^2])
            {
                var refused = store.Refused;
                await store.CheckAsync(name, Flip(whole, bit), what);
                Assert.True(store.Refused == refused + 1, $"{what} is not refused.");
            }
            else
            {
                // All before the last but one is there.
                await store.CheckEarlierAsync(name, Flip(whole, bit), commits[^3], what);
            }
        }

        output.WriteLine($"{moment}: {store}");
    }

    [Theory, Trait("Kind", "Long")]
    [InlineData(Moment.Killed, 4_000)]
    [InlineData(Moment.Open, 4_000)]
    public Task Any_bit_of_the_log_that_has_changed_is_refused_unless_it_is_in_the_last_transaction(Moment moment, int samples) =>
        A_bit_of_the_log_that_has_changed_is_refused_unless_it_is_in_the_last_transaction(moment, samples);

    [Theory]
    [InlineData(Moment.Closed, 16)]
    [InlineData(Moment.Open, 16)]
    public async Task A_file_that_ends_early_loses_no_job_silently(Moment moment, int step)
    {
        using var store = await DamagedStore.OfAsync(moment);
        var whole = store.Files[store.Name];

        // To nothing only with a log: without one, it is a new file.
        for (var pages = moment == Moment.Closed ? 1 : 0; pages < whole.Length / PageSize; pages += pages == 0 ? 1 : step)
        {
            await store.CheckAsync(store.Name, whole[..(pages * PageSize)], $"Cut to {pages} pages");
        }

        output.WriteLine($"{moment}: {store}");
        Assert.True(store.Refused > 0, $"{store}");
    }

    [Theory, Trait("Kind", "Long")]
    [InlineData(Moment.Closed, 1)]
    [InlineData(Moment.Open, 1)]
    [InlineData(Moment.Killed, 1)]
    public Task A_file_that_ends_anywhere_loses_no_job_silently(Moment moment, int step) => A_file_that_ends_early_loses_no_job_silently(moment, step);

    [Theory]
    [InlineData(Moment.Killed, 24)]
    [InlineData(Moment.Open, 48)]
    public async Task A_log_that_ends_early_is_the_file_of_an_earlier_moment(Moment moment, int step)
    {
        using var store = await DamagedStore.OfAsync(moment);
        var name = store.Name + "-wal";
        var whole = store.Files[name];
        var commits = Commits(whole);
        for (var frames = 0; frames <= commits[^1]; frames += step)
        {
            await store.CheckEarlierAsync(name, whole[..(LogHeader + (frames * FrameSize))], commits.LastOrDefault(commit => commit < frames, -1), $"Cut to {frames} frames");
        }

        output.WriteLine($"{moment}: {store}");
        Assert.Equal(0, store.Refused);
    }

    [Theory, Trait("Kind", "Long")]
    [InlineData(Moment.Killed, 1)]
    [InlineData(Moment.Open, 1)]
    public Task A_log_that_ends_anywhere_is_the_file_of_an_earlier_moment(Moment moment, int step) => A_log_that_ends_early_is_the_file_of_an_earlier_moment(moment, step);

    // The frames that end a transaction, from 0 on.
    private static List<int> Commits(byte[] log) => [.. Enumerable.Range(0, (log.Length - LogHeader) / FrameSize).Where(frame =>
        log.AsSpan(LogHeader + (frame * FrameSize) + 8, 8).SequenceEqual(log.AsSpan(16, 8)) && BinaryPrimitives.ReadInt32BigEndian(log.AsSpan(LogHeader + (frame * FrameSize) + 4)) != 0)];

    private static byte[] Flip(byte[] whole, long bit)
    {
        var bytes = whole.ToArray();
        bytes[bit / 8] ^= (byte)(1 << (int)(bit % 8));
        return bytes;
    }

    /// <summary>A store as it was at a moment, and what became of copies that were damaged.</summary>
    private sealed class DamagedStore : IDisposable
    {
        private readonly Image _image;
        private readonly Dictionary<Guid, StoredJob> _jobs;

        // By the last frame of the log that is left: what the store had then.
        private readonly Dictionary<int, Dictionary<Guid, StoredJob>> _earlier = [];
        private int _whole;

        private DamagedStore(Image image, string name, Dictionary<string, byte[]> files, Dictionary<Guid, StoredJob> jobs) => (_image, Name, Files, _jobs) = (image, name, files, jobs);

        public string Name { get; }

        public Dictionary<string, byte[]> Files { get; }

        /// <summary>How many were refused at their start.</summary>
        public int Refused { get; private set; }

        /// <summary>In how many a read failed.</summary>
        public int Reported { get; private set; }

        public static async Task<DamagedStore> OfAsync(Moment moment)
        {
            var recording = await Recording.SmallAsync();
            var at = moment switch
            {
                Moment.Killed => recording.Ends[0],
                Moment.Open => recording.Events.FindLastIndex(static one => one.Call == DiskCall.Said) + 1,
                _ => recording.Events.Count,
            };
            var files = recording.At(at).Disk.Cut(Loss.Nothing, new Random(0));
            var image = new Image(recording.Store);
            Assert.Equal(moment != Moment.Closed, files.ContainsKey(recording.Store + "-wal"));
            return new DamagedStore(image, recording.Store, files, await ReadAsync(image, files));
        }

        /// <summary>Everything is there and as it was, or a start or a read reports what is not.</summary>
        public async Task CheckAsync(string name, byte[] bytes, string what)
        {
            _image.Put(new Dictionary<string, byte[]>(Files) { [name] = bytes });
            await using var store = _image.New();
            if (await IsRefusedAsync(store))
            {
                Refused++;
                return;
            }

            var failed = 0;
            foreach (var (id, job) in _jobs)
            {
                try
                {
                    var found = await StoredJob.ReadAsync(store, id, Stop);
                    Assert.True(found is not null, $"{what}: {job.Record} is lost, and nothing says so.");
                    AssertSame(found, job, what);
                }
                catch (JobStoreException)
                {
                    failed++;
                }
            }

            try
            {
                Assert.Equal(_jobs.Count, (await store.ListAsync(new JobQuery { Limit = 1_000 }, Stop)).Count);
            }
            catch (JobStoreException)
            {
                failed++;
            }

            (Reported, _whole) = failed > 0 ? (Reported + 1, _whole) : (Reported, _whole + 1);
        }

        /// <summary>It is refused, or it has all that was committed up to a frame of the log.</summary>
        public async Task CheckEarlierAsync(string name, byte[] bytes, int frame, string what)
        {
            if (!_earlier.TryGetValue(frame, out var earlier))
            {
                earlier = await ReadAsync(_image, new Dictionary<string, byte[]>(Files) { [name] = Files[name][..(LogHeader + ((frame + 1) * FrameSize))] });
                _earlier[frame] = earlier;
            }

            _image.Put(new Dictionary<string, byte[]>(Files) { [name] = bytes });
            await using var store = _image.New();
            if (await IsRefusedAsync(store))
            {
                Refused++;
                return;
            }

            _whole++;
            var jobs = await StoredJob.ReadAllAsync(store, Stop);
            Assert.All(earlier.Keys, id => Assert.True(jobs.ContainsKey(id), $"{what}: {id} is lost."));
            Assert.All(jobs.Values, job => Assert.True(job.HasContentOf(_jobs[job.Record.Id]), $"{what}: {job.Record} is not what was submitted."));
            using var connection = new Connection(_image.Store, mayWrite: false);
            Assert.Equal("ok", connection.Query("PRAGMA integrity_check"));
        }

        public void Dispose() => _image.Dispose();

        public override string ToString() => $"{_image.Count} images, {Refused} refused, {Reported} with jobs that cannot be read, {_whole} without a loss";

        private static async Task<bool> IsRefusedAsync(Weir.Jobs.Sqlite.SqliteJobStore store)
        {
            try
            {
                await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), Stop);
                return false;
            }
            catch (InvalidOperationException error)
            {
                Assert.StartsWith("WEIR3027: ", error.Message, StringComparison.Ordinal);
                return true;
            }
        }

        private static async Task<Dictionary<Guid, StoredJob>> ReadAsync(Image image, Dictionary<string, byte[]> files)
        {
            image.Put(files);
            await using var store = image.New();
            await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), Stop);
            return await StoredJob.ReadAllAsync(store, Stop);
        }

        private static void AssertSame(StoredJob found, StoredJob job, string what)
        {
            Assert.True(found.Record.Id == job.Record.Id && found.Record.Kind == job.Record.Kind && found.Record.Status.State == job.Record.Status.State, $"{what}: {job.Record} is {found.Record}.");
            Assert.True(found.Call.Arguments.Span.SequenceEqual(job.Call.Arguments.Span), $"{what}: {job.Record} has other arguments.");
            Assert.True(found.Result.AsSpan().SequenceEqual(job.Result) && found.Result is null == job.Result is null, $"{what}: {job.Record} has another result.");
            Assert.True(found.Items.Select(Convert.ToHexString).SequenceEqual(job.Items.Select(Convert.ToHexString)), $"{what}: {job.Record} has other items.");
            Assert.Equal(job.Attempts.Select(static one => Convert.ToHexString(one.Failure.Span)), found.Attempts.Select(static one => Convert.ToHexString(one.Failure.Span)));
        }
    }
}
