using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>Damage is detected, and confined to the jobs that it is in.</summary>
public sealed class SqliteDamageTests : SqliteFixture
{
    [Fact]
    public async Task A_job_with_damaged_arguments_is_claimed_with_that_mark_and_keeps_no_other_back()
    {
        var store = await OpenAsync();
        var (damaged, whole) = (await AcceptAsync(store, Job("{\"year\":2026}")), await AcceptAsync(store, Job("{\"year\":2027}")));
        await store.DisposeAsync();
        Execute("UPDATE job SET arguments = CAST(replace(CAST(arguments AS TEXT), '2026', '2025') AS BLOB)");
        await using var next = await OpenAsync();
        await Assert.ThrowsAsync<JobStoreException>(async () => await next.FindCallAsync(damaged.Id, Stop));
        var claimed = (await ClaimAsync(next, 2)).Jobs;
        Assert.Equal([(damaged.Id, true, ""), (whole.Id, false, "{\"year\":2027}")], claimed.Select(static job => (job.Record.Id, job.IsDamaged, Text(job.Arguments))));
        Assert.Equal(JobVerdict.Applied, (await ActAsync(next, Action(damaged.Id, JobEvent.Answered))).Change.Verdict);
    }

    [Fact]
    public async Task Large_arguments_of_which_a_piece_is_missing_are_damaged()
    {
        var store = await OpenAsync();
        var job = await AcceptAsync(store, Job(new string('x', 600_000)));
        await store.DisposeAsync();
        Execute("DELETE FROM blob WHERE id = 2");
        await using var next = await OpenAsync();
        await Assert.ThrowsAsync<JobStoreException>(async () => await next.FindCallAsync(job.Id, Stop));
        Assert.True(Assert.Single((await ClaimAsync(next, 2)).Jobs).IsDamaged);
    }

    [Theory]
    [InlineData("result", "data")]
    [InlineData("item", "data")]
    [InlineData("attempt", "failure")]
    public async Task What_else_is_stored_with_a_job_fails_alone(string table, string column)
    {
        var store = await OpenAsync();
        List<Guid> ids = [];
        for (var number = 0; number < 2; number++)
        {
            var job = await AcceptAsync(store, Job(starts: true));
            await CommitAsync(store, batch => batch.Items.Add(new NewItems { Id = job.Id, Fence = 1, Items = [Bytes("item")] }));
            await ActAsync(store, Action(job.Id, JobEvent.OwnerLost, "lost"));
            await ActAsync(store, Action(job.Id, JobEvent.Succeeded, "result"));
            ids.Add(job.Id);
        }

        await store.DisposeAsync();
        Execute($"UPDATE {table} SET {column} = CAST('x' || substr(CAST({column} AS TEXT), 2) AS BLOB) WHERE job = 1");
        await using var next = await OpenAsync();
        var failed = 0;
        foreach (var id in ids)
        {
            Assert.NotNull(await next.FindAsync(id, Stop));
            failed += await FailsAsync(async () => Assert.Equal("result", Text(await next.ReadResultAsync(id, Stop))));
            failed += await FailsAsync(async () => Assert.Equal("item", Text(Assert.Single(await next.ReadItemsAsync(id, 0, 0, Stop)))));
            failed += await FailsAsync(async () => Assert.Equal("lost", Text(Assert.Single(await next.ReadAttemptsAsync(id, Stop)).Failure)));
        }

        Assert.Equal(1, failed);
        Assert.Equal(2, (await next.ListAsync(new JobQuery(), Stop)).Count);
    }

    [Theory]
    [InlineData("result")]
    [InlineData("item")]
    [InlineData("attempt")]
    public async Task A_row_of_a_job_that_is_missing_is_damage(string table)
    {
        var store = await OpenAsync();
        var job = await AcceptAsync(store, Job(starts: true));
        await CommitAsync(store, batch => batch.Items.Add(new NewItems { Id = job.Id, Fence = 1, Items = [Bytes("a"), Bytes("b"), Bytes("c")] }));
        await ActAsync(store, Action(job.Id, JobEvent.OwnerLost, "lost"));
        Assert.Null(await store.ReadResultAsync(job.Id, Stop));
        await ActAsync(store, Action(job.Id, JobEvent.Succeeded, "result"));
        await store.DisposeAsync();
        foreach (var rows in table == "item" ? new[] { "number = 1", "number <> 0", "true" } : ["true"])
        {
            Execute($"DELETE FROM {table} WHERE {rows}");
            await using var next = await OpenAsync();
            Assert.Equal(table == "result" ? 1 : 0, await FailsAsync(async () => Assert.NotNull(await next.ReadResultAsync(job.Id, Stop))));
            Assert.Equal(table == "item" ? 1 : 0, await FailsAsync(async () => Assert.Equal(3, (await next.ReadItemsAsync(job.Id, 0, 0, Stop)).Count)));
            Assert.Equal(table == "attempt" ? 1 : 0, await FailsAsync(async () => Assert.Single(await next.ReadAttemptsAsync(job.Id, Stop))));
            Assert.Empty(await next.ReadItemsAsync(job.Id, 1, 0, Stop));
            Assert.Empty(await next.ReadItemsAsync(job.Id, 0, 3, Stop));
        }
    }

    [Theory]
    [InlineData("SELECT rootpage FROM sqlite_master WHERE name = 'job_id'")]
    [InlineData("SELECT rootpage FROM sqlite_master WHERE name = 'job_state'")]
    [InlineData("SELECT rootpage FROM sqlite_master WHERE name = 'job_ready'")]
    [InlineData("SELECT rootpage FROM sqlite_master WHERE name = 'kind'")]
    [InlineData("SELECT rootpage FROM sqlite_master WHERE name = 'meta'")]
    public async Task A_file_in_which_a_job_could_not_be_found_is_refused(string root)
    {
        var store = await OpenAsync();
        await CommitAsync(store, batch => batch.Jobs.AddRange([Job(), Job(), Job()]));
        await store.DisposeAsync();
        var page = int.Parse(Query(root)!, System.Globalization.CultureInfo.InvariantCulture) - 1;
        var bytes = await File.ReadAllBytesAsync(Files.File, Stop);

        // The last row of the page is not one of it any more.
        bytes[(page * 4096) + 4]--;
        await File.WriteAllBytesAsync(Files.File, bytes, Stop);
        Assert.Matches("^WEIR3027: .*jobs.db' is damaged: ", await RefusalAsync());
    }

    [Fact]
    public async Task Bytes_of_another_row_are_damaged()
    {
        var store = await OpenAsync();
        var (a, b) = (await AcceptAsync(store, Job("a")), await AcceptAsync(store, Job("b")));
        await store.DisposeAsync();
        Execute("UPDATE job SET (arguments, arguments_check) = (SELECT arguments, arguments_check FROM job AS other WHERE other.seq = 2) WHERE seq = 1");
        await using var next = await OpenAsync();
        await Assert.ThrowsAsync<JobStoreException>(async () => await next.FindCallAsync(a.Id, Stop));
        Assert.Equal("b", Text((await next.FindCallAsync(b.Id, Stop))!.Arguments));
    }

    [Fact]
    public async Task A_file_that_was_cut_is_refused()
    {
        await FillAsync();
        var whole = await File.ReadAllBytesAsync(Files.File, Stop);
        for (var pages = whole.Length / 4096 - 1; pages > 0; pages--)
        {
            await File.WriteAllBytesAsync(Files.File, whole[..(pages * 4096)], Stop);
            Assert.StartsWith("WEIR3027", await RefusalAsync(), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_file_whose_machine_went_down_is_checked_before_it_is_used()
    {
        await FillAsync();
        var bytes = await File.ReadAllBytesAsync(Files.File, Stop);

        // Where the rows are in the middle one of the pages that have jobs: opening reads the last one only.
        var pages = Enumerable.Range(0, bytes.Length / 4096).Where(page => bytes[page * 4096] == 13 && bytes[(page * 4096) + 4] > 1 && bytes[(page * 4096) + 4] < 6).ToList();
        bytes.AsSpan((pages[pages.Count / 2] * 4096) + 8, 2).Fill(0xFF);
        await File.WriteAllBytesAsync(Files.File, bytes, Stop);
        SqliteJobStore Large() => new(Files.File, StoreDirectory.OwnerWait, TimeProvider.System) { MostToCheckAlways = 0 };
        await (await OpenAsync(Large())).DisposeAsync();
        if (OperatingSystem.IsLinux())
        {
            // After a kill, a large file is not checked: what the process wrote is the system's.
            Execute("UPDATE meta SET value = '0' WHERE name = 'clean'");
            await (await OpenAsync(Large())).DisposeAsync();
        }

        Execute("UPDATE meta SET value = CASE name WHEN 'clean' THEN '0' ELSE 'another start of the machine' END");
        Assert.Matches("^WEIR3027: .*jobs.db' is damaged: ", await RefusalAsync(Large()));
    }

    [Fact]
    public async Task A_bit_that_has_changed_never_changes_what_a_job_is_given()
    {
        var jobs = await FillAsync();
        var whole = await File.ReadAllBytesAsync(Files.File, Stop);
        var random = new Random(3);
        var (found, refused) = (0, 0);
        for (var sample = 0; sample < 300; sample++)
        {
            var bytes = whole.ToArray();
            bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
            await File.WriteAllBytesAsync(Files.File, bytes, Stop);
            await using var store = New();
            try
            {
                await store.OpenAsync(new JobReplica(NextId(), []), Stop);
            }
            catch (InvalidOperationException error)
            {
                Assert.StartsWith("WEIR3027", error.Message, StringComparison.Ordinal);
                refused++;
                continue;
            }

            foreach (var job in jobs)
            {
                try
                {
                    if (await store.FindCallAsync(job.Id, Stop) is { } call)
                    {
                        Assert.True(job.Arguments.Span.SequenceEqual(call.Arguments.Span));
                    }
                }
                catch (JobStoreException)
                {
                    found++;
                }
            }
        }

        Assert.True(found > 0 && refused > 0, $"{found} reads failed, {refused} files were refused.");
    }

    private async Task<List<NewJob>> FillAsync()
    {
        var store = await OpenAsync();
        var jobs = Enumerable.Range(0, 60).Select(number => Job(new string((char)('a' + (number % 26)), 900))).ToList();
        await CommitAsync(store, batch => batch.Jobs.AddRange(jobs));
        await store.DisposeAsync();
        return jobs;
    }

    private static async Task<int> FailsAsync(Func<Task> read)
    {
        try
        {
            await read();
            return 0;
        }
        catch (JobStoreException)
        {
            return 1;
        }
    }
}
