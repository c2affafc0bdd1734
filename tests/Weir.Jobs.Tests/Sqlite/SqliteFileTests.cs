using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Sqlite.Files;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>Which files are opened, and what is left when one is closed.</summary>
public sealed class SqliteFileTests : SqliteFixture
{
    [Fact]
    public async Task The_description_has_the_engine_the_file_and_the_time_of_a_sync()
    {
        await using var store = await OpenAsync();
        Assert.Matches(@"^SQLite 3\.\d+\.\d+ in jobs\.db, fsync \d+\.\d ms$", store.Description);
        Assert.True(store.IsDurable);
    }

    [Fact]
    public async Task A_file_of_another_application_is_refused()
    {
        Execute("PRAGMA application_id = 7");
        Assert.Matches("^WEIR3027: .*jobs.db' is a file of another application .*: name another file", await RefusalAsync());
        Assert.Equal("7", Query("PRAGMA application_id"));
    }

    [Fact]
    public async Task A_file_with_tables_of_another_application_is_refused()
    {
        Execute("CREATE TABLE orders (id INTEGER)");
        Assert.StartsWith("WEIR3027", await RefusalAsync(), StringComparison.Ordinal);
        Assert.Equal("delete", Query("PRAGMA journal_mode"));
    }

    [Fact]
    public async Task A_file_of_a_newer_version_is_refused()
    {
        await (await OpenAsync()).DisposeAsync();
        Execute("PRAGMA user_version = 3");
        Assert.Matches("^WEIR3027: .* has version 3, and this program knows 2: run the newer program", await RefusalAsync());
    }

    [Fact]
    public async Task A_file_that_is_no_database_is_refused()
    {
        await File.WriteAllTextAsync(Files.File, new string('x', 10_000), Stop);
        Assert.StartsWith("WEIR3027", await RefusalAsync(), StringComparison.Ordinal);
        Assert.Equal(10_000, new FileInfo(Files.File).Length);
    }

    [Fact]
    public async Task A_directory_that_is_missing_is_named()
    {
        var store = new SqliteJobStore(Path.Combine(Files.Name, "missing", "jobs.db"), StoreDirectory.OwnerWait, TimeProvider.System);
        Assert.Matches("^WEIR3027: the directory '.*missing' .* create it", await RefusalAsync(store));
    }

    [Theory]
    [InlineData("nfs", true)]
    [InlineData("nfs4", true)]
    [InlineData("cifs", true)]
    [InlineData("smb2", true)]
    [InlineData("smb3", true)]
    [InlineData("smbfs", true)]
    [InlineData("9p", true)]
    [InlineData("v9fs", true)]
    [InlineData("fuse.sshfs", true)]
    [InlineData("fuse", false)]
    [InlineData("fuseblk", false)]
    [InlineData("overlay", false)]
    [InlineData("ext4", false)]
    [InlineData("ext2/ext3", false)]
    [InlineData("xfs", false)]
    [InlineData("tmpfs", false)]
    [InlineData("apfs", false)]
    [InlineData("NTFS", false)]
    public void A_file_system_of_a_network_is_known_by_its_name(string format, bool expected) => Assert.Equal(expected, Places.IsNetwork(format));

    [Fact]
    public async Task A_closed_file_has_everything_and_no_log_beside_it()
    {
        var store = await OpenAsync();
        await AcceptAsync(store, Job());
        await store.DisposeAsync();
        Assert.False(File.Exists(Files.File + "-wal"));
        Assert.False(File.Exists(Files.File + "-probe"));
        Assert.Equal("1", Query("SELECT count(*) FROM job"));
        Assert.Equal("1", Query("SELECT value FROM meta WHERE name = 'clean'"));
    }

    [Fact]
    public async Task A_closed_store_says_so()
    {
        var store = await OpenAsync();
        await store.DisposeAsync();
        await store.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => AcceptAsync(store, Job()));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.FindAsync(NextId(), Stop));
    }

    [Fact]
    public async Task A_process_that_is_killed_loses_nothing_that_was_committed()
    {
        await using var store = await OpenAsync();
        var (running, ready, later) = (Job(starts: true), Job(key: "a"), Job(due: Now.AddHours(1)));
        await CommitAsync(store, batch => batch.Jobs.AddRange([running, ready, later]));
        await CommitAsync(store, batch => batch.Items.Add(new NewItems { Id = running.Id, Fence = 1, Items = [Bytes("1")] }));
        using var copy = Files.Copy();
        await using var next = new SqliteJobStore(copy.File, StoreDirectory.OwnerWait, TimeProvider.System);
        var content = await next.OpenAsync(new JobReplica(NextId(), []), Stop);
        Assert.Equal([new LostAttempt(running.Id, Kind, 1, 1)], content.Lost);
        Assert.Equal([Kind], content.ReadyKinds);
        Assert.Equal(Now.AddHours(1), content.NextDue);
        Assert.Equal(1, (await next.FindAsync(running.Id, Stop))!.Items);

        // It is not this process that runs it, until it has claimed it.
        await ActAsync(next, Action(running.Id, JobEvent.OwnerLost));
        Assert.Equal(JobReason.Lost, (await next.FindAsync(running.Id, Stop))!.Status.Reason);
    }

    [Fact]
    public async Task A_job_that_is_purged_leaves_nothing()
    {
        var store = await OpenAsync();
        var large = new string('x', 700_000);
        var job = await AcceptAsync(store, Job(large, starts: true));
        await CommitAsync(store, batch => batch.Items.Add(new NewItems { Id = job.Id, Fence = 1, Items = [Bytes("small"), Bytes(large)] }));
        await ActAsync(store, Action(job.Id, JobEvent.OwnerLost, large));
        await ActAsync(store, Action(job.Id, JobEvent.Succeeded, large));
        Assert.Equal(large, Text(await store.ReadResultAsync(job.Id, Stop)));
        Assert.Equal(JobVerdict.Gone, (await ActAsync(store, Action(job.Id, JobEvent.Purged))).Change.Verdict);
        await store.DisposeAsync();
        foreach (var table in new[] { "job", "attempt", "item", "result", "blob" })
        {
            Assert.Equal("0", Query($"SELECT count(*) FROM {table}"));
        }

        Assert.Equal("ok", Query("PRAGMA integrity_check"));
    }

    [Theory]
    [InlineData(10, 300_000, 2, 0)]
    [InlineData(300_000, 10, 0, 2)]
    [InlineData(300_000, 600_000, 3, 2)]
    [InlineData(2_000, 10, 0, 0)]
    [InlineData(2_000, 3_000, 1, 0)]
    [InlineData(70_000, 10, 0, 1)]
    public async Task Arguments_that_are_replaced_are_stored_once(int before, int after, int piecesAfter, int piecesKept)
    {
        var store = await OpenAsync();
        var job = await AcceptAsync(store, Job(new string('x', before)));
        await ActAsync(store, Action(job.Id, JobEvent.ArgumentsEdited, new string('y', after)));
        Assert.Equal(new string('x', before), Text(Assert.Single(await store.ReadAttemptsAsync(job.Id, Stop)).Failure));
        await store.DisposeAsync();
        Assert.Equal($"{piecesAfter + piecesKept}", Query("SELECT count(*) FROM blob"));
        Assert.Equal($"{piecesKept}", Query("SELECT count(*) FROM blob JOIN attempt ON blob.id BETWEEN attempt.blob AND attempt.blob + (attempt.size - 1) / 262144"));

        // And again, and nothing is left when it goes.
        store = await OpenAsync();
        await ActAsync(store, Action(job.Id, JobEvent.ArgumentsEdited, new string('x', before)));
        await ActAsync(store, Action(job.Id, JobEvent.CancelAsked));
        await ActAsync(store, Action(job.Id, JobEvent.Purged));
        await store.DisposeAsync();
        Assert.Equal("0", Query("SELECT count(*) FROM blob"));
        Assert.Equal("ok", Query("PRAGMA integrity_check"));
    }

    [Fact]
    public async Task The_size_is_that_of_what_is_stored()
    {
        await using var store = await OpenAsync();
        var empty = await store.SizeAsync(Stop);
        var job = await AcceptAsync(store, Job(new string('x', 2_000_000)));
        var full = await store.SizeAsync(Stop);
        Assert.InRange(full - empty ?? 0, 2_000_000, 2_200_000);
        await CommitAsync(store, batch => batch.Actions.AddRange([Action(job.Id, JobEvent.CancelAsked), Action(job.Id, JobEvent.Purged)]));
        Assert.InRange(full - await store.SizeAsync(Stop) ?? 0, 2_000_000, 2_200_000);
    }

    [Fact]
    public async Task The_log_beside_the_file_stays_small()
    {
        await using var store = await OpenAsync();
        for (var megabytes = 0; megabytes < 160; megabytes += 4)
        {
            await CommitAsync(store, batch => batch.Jobs.AddRange(Enumerable.Range(0, 4).Select(_ => Job(new string('x', 1_000_000)))));
        }

        Assert.InRange(new FileInfo(Files.File + "-wal").Length, 1, 48 * 1024 * 1024);
    }
}
