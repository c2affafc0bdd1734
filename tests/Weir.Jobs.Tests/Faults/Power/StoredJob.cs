using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>All that a store has of a job.</summary>
internal sealed record StoredJob(JobRecord Record, NewJob Call, byte[]? Result, IReadOnlyList<byte[]> Items, IReadOnlyList<JobAttempt> Attempts)
{
    /// <summary>Reads a job that is there.</summary>
    public static async Task<StoredJob?> ReadAsync(SqliteJobStore store, Guid id, CancellationToken stop)
    {
        if (await store.FindAsync(id, stop) is not { } record)
        {
            return null;
        }

        var call = await store.FindCallAsync(id, stop);
        var result = await store.ReadResultAsync(id, stop);
        var items = new List<byte[]>();
        while (await store.ReadItemsAsync(id, record.Run, items.Count, stop) is { Count: > 0 } page)
        {
            items.AddRange(page.Select(static item => item.ToArray()));
        }

        return new StoredJob(record, call!, result?.ToArray(), items, await store.ReadAttemptsAsync(id, stop));
    }

    /// <summary>Reads all jobs.</summary>
    public static async Task<Dictionary<Guid, StoredJob>> ReadAllAsync(SqliteJobStore store, CancellationToken stop)
    {
        var jobs = new Dictionary<Guid, StoredJob>();
        Guid? before = null;
        while (await store.ListAsync(new JobQuery { Before = before, Limit = 1_000 }, stop) is { Count: > 0 } page)
        {
            foreach (var record in page)
            {
                jobs.Add(record.Id, (await ReadAsync(store, record.Id, stop))!);
            }

            before = page[^1].Id;
        }

        return jobs;
    }

    /// <summary>Whether what callers gave and get is that of the original: its arguments and, as far as it has them, its result and its items.</summary>
    public bool HasContentOf(StoredJob original) =>
        Record.Id == original.Record.Id
        && Record.Kind == original.Record.Kind
        && Record.Submitted == original.Record.Submitted
        && Call.Arguments.Span.SequenceEqual(original.Call.Arguments.Span)
        && (Result is null || (original.Result is { } result && Result.AsSpan().SequenceEqual(result)))
        && Items.Count <= original.Items.Count
        && Items.Zip(original.Items).All(static pair => pair.First.AsSpan().SequenceEqual(pair.Second));
}
