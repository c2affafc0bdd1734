using System.Buffers.Binary;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>The log that a process leaves which was killed: its end may be missing, and nothing else.</summary>
public sealed class SqliteLogTests : SqliteFixture
{
    private const int Header = 32;
    private const int Frame = 24 + 4096;

    private readonly List<Guid> _jobs = [];

    [Theory]
    [InlineData(0)]
    [InlineData(4)]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(20)]
    [InlineData(1_000)]
    public async Task A_frame_that_has_changed_is_refused_where_a_transaction_follows(int at)
    {
        using var left = await LeaveAsync();
        var whole = await File.ReadAllBytesAsync(left.File + "-wal", Stop);
        var commits = Commits(whole);
        for (var frame = 0; frame < commits[^2]; frame++)
        {
            Assert.Matches($"^WEIR3027: .*jobs.db-wal' is damaged: frame {frame + 1} is not what was written, ", await RefusalAsync(left, Changed(whole, Header + (frame * Frame) + at)));
        }
    }

    [Fact]
    public async Task What_was_committed_before_the_damage_can_be_kept_as_the_message_says()
    {
        using var left = await LeaveAsync();
        var whole = await File.ReadAllBytesAsync(left.File + "-wal", Stop);
        Assert.Contains("'sqlite3 jobs.db \"PRAGMA wal_checkpoint(TRUNCATE)\"'", await RefusalAsync(left, Changed(whole, Header + (Commits(whole)[^2] * Frame) - 1)), StringComparison.Ordinal);
        using (var connection = new Connection(left.File, mayWrite: true))
        {
            connection.Query("PRAGMA wal_checkpoint(TRUNCATE)");
        }

        await using var store = New(left);
        await store.OpenAsync(new JobReplica(NextId(), []), Stop);
        Assert.Equal([_jobs[1], _jobs[0]], (await store.ListAsync(new JobQuery { Limit = 100 }, Stop)).Select(static job => job.Id));
    }

    [Fact]
    public async Task A_changed_header_of_the_log_is_refused()
    {
        using var left = await LeaveAsync();
        var whole = await File.ReadAllBytesAsync(left.File + "-wal", Stop);
        for (var at = 0; at < Header; at++)
        {
            Assert.Matches("^WEIR3027: .*jobs.db-wal' is damaged: its header is not what was written, ", await RefusalAsync(left, Changed(whole, at)));
        }
    }

    [Fact]
    public async Task The_last_transaction_may_be_missing_in_part()
    {
        using var left = await LeaveAsync();
        var whole = await File.ReadAllBytesAsync(left.File + "-wal", Stop);
        var first = Header + ((Commits(whole)[^2] + 1) * Frame);
        for (var at = first; at < whole.Length; at += 1_201)
        {
            await OpensAsync(left, whole[..at]);
            await OpensAsync(left, Changed(whole, at));

            // Space that was given to the file, and not written.
            var zeros = whole.ToArray();
            zeros.AsSpan(at).Clear();
            await OpensAsync(left, zeros);
            zeros = whole.ToArray();
            zeros.AsSpan(first, at - first).Clear();
            await OpensAsync(left, zeros);
        }
    }

    [Fact]
    public async Task Frames_of_an_earlier_log_behind_the_end_are_no_damage()
    {
        var store = await OpenAsync();
        for (var job = 0; job < 40; job++)
        {
            _jobs.Add((await AcceptAsync(store, Job(new string('x', 1_000_000)))).Id);
        }

        // It is copied by now, and begins again.
        _jobs.Add((await AcceptAsync(store, Job())).Id);
        using var left = Files.Copy();
        await store.DisposeAsync();
        var log = await File.ReadAllBytesAsync(left.File + "-wal", Stop);
        Assert.False(log.AsSpan(16, 8).SequenceEqual(log.AsSpan(log.Length - Frame + 8, 8)));
        await OpensAsync(left, log);
    }

    [Fact]
    public async Task A_file_that_is_missing_or_empty_is_refused_where_its_log_has_jobs()
    {
        using var left = await LeaveAsync();
        var log = await File.ReadAllBytesAsync(left.File + "-wal", Stop);
        await File.WriteAllBytesAsync(left.File, [], Stop);
        Assert.Matches("^WEIR3027: .*jobs.db' is missing or empty, ", await RefusalAsync(left, log));
        File.Delete(left.File);
        Assert.Matches("^WEIR3027: .*jobs.db' is missing or empty, ", await RefusalAsync(left, log));
        Assert.True((await File.ReadAllBytesAsync(left.File + "-wal", Stop)).AsSpan().SequenceEqual(log));
        File.Delete(left.File + "-wal");
        await using var store = New(left);
        Assert.Empty((await store.OpenAsync(new JobReplica(NextId(), []), Stop)).Lost);
    }

    // As a process leaves it that was killed.
    private async Task<StoreDirectory> LeaveAsync()
    {
        var store = await OpenAsync();
        for (var job = 0; job < 4; job++)
        {
            _jobs.Add((await AcceptAsync(store, Job("{\"number\":1}"))).Id);
        }

        var left = Files.Copy();
        await store.DisposeAsync();
        return left;
    }

    private static List<int> Commits(byte[] log) => [.. Enumerable.Range(0, (log.Length - Header) / Frame).Where(frame => BinaryPrimitives.ReadInt32BigEndian(log.AsSpan(Header + (frame * Frame) + 4)) != 0)];

    private static byte[] Changed(byte[] whole, int at)
    {
        var bytes = whole.ToArray();
        bytes[at] ^= 0x55;
        return bytes;
    }

    private static SqliteJobStore New(StoreDirectory left) => new(left.File, StoreDirectory.OwnerWait, TimeProvider.System);

    private async Task<string> RefusalAsync(StoreDirectory left, byte[] log)
    {
        await File.WriteAllBytesAsync(left.File + "-wal", log, Stop);
        return await RefusalAsync(New(left));
    }

    // All jobs but the last one are there.
    private async Task OpensAsync(StoreDirectory left, byte[] log)
    {
        using var next = left.Copy();
        await File.WriteAllBytesAsync(next.File + "-wal", log, Stop);
        await using var store = New(next);
        await store.OpenAsync(new JobReplica(NextId(), []), Stop);
        Assert.Superset(_jobs.SkipLast(1).ToHashSet(), (await store.ListAsync(new JobQuery { Limit = 100 }, Stop)).Select(static job => job.Id).ToHashSet());
    }
}
