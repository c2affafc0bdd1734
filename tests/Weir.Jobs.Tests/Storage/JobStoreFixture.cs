using System.Text;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>A store of its own for each test, and short ways to commit to it. All times are constants.</summary>
public abstract class JobStoreFixture : IAsyncLifetime
{
    private protected const string Kind = "Reports/Build";

    private protected static readonly DateTimeOffset Now = new DateTimeOffset(2026, 11, 27, 12, 0, 0, TimeSpan.Zero).AddTicks(1_234_567);
    private protected static readonly JobTraits Once = new();
    private protected static readonly JobTraits Idempotent = new() { IsIdempotent = true, Attempts = 5, MostLosses = 100, MostCrashes = 100 };

    private readonly Random _ids = new(7);

    private protected IJobStore Store { get; private set; } = null!;

    private protected JobStoreContent Content { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        Store = await CreateAsync();
        Content = await Store.OpenAsync(new JobReplica(NextId(), []), TestContext.Current.CancellationToken);
    }

    public virtual async ValueTask DisposeAsync()
    {
        await Store.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>An empty store, which was not opened.</summary>
    private protected abstract ValueTask<IJobStore> CreateAsync();

    /// <summary>Of a durable store: ends this one, and makes another of what it kept, which was not opened.</summary>
    /// <param name="store">Was opened.</param>
    /// <param name="killed">Whether it ends as if its process was killed, without being disposed.</param>
    private protected virtual ValueTask<IJobStore> ReopenAsync(IJobStore store, bool killed) => throw new NotSupportedException("It is not durable.");

    private protected async Task ReopenAsync(bool killed = false)
    {
        Store = await ReopenAsync(Store, killed);
        Content = await Store.OpenAsync(new JobReplica(NextId(), []), TestContext.Current.CancellationToken);
    }

    // ---- values ----

    private protected static ReadOnlyMemory<byte> Bytes(string text) => Encoding.UTF8.GetBytes(text);

    /// <summary>Bytes that differ at each position and for each seed.</summary>
    private protected static ReadOnlyMemory<byte> Bytes(int length, int seed = 1)
    {
        var bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private protected static string Text(ReadOnlyMemory<byte> bytes) => Encoding.UTF8.GetString(bytes.Span);

    private protected Guid NextId()
    {
        var bytes = new byte[16];
        _ids.NextBytes(bytes);
        return new Guid(bytes);
    }

    private protected NewJob Job(
        string kind = Kind, string key = "", JobPriority priority = JobPriority.Normal, DateTimeOffset? due = null, DateTimeOffset? submitted = null,
        string? owner = null, string? idempotencyKey = null, ulong fingerprint = 0, bool starts = false, ReadOnlyMemory<byte>? arguments = null,
        DateTimeOffset? expires = null, JobUniqueness uniqueUntil = JobUniqueness.Retention) => new()
        {
            Id = NextId(),
            Kind = kind,
            Signature = 0xFEDC_BA98_7654_3210,
            Arguments = arguments ?? Bytes("{\"year\":2026}"),
            Submitted = submitted ?? Now,
            Due = due ?? Now,
            Expires = expires,
            Key = key,
            Priority = priority,
            Owner = owner,
            IdempotencyKey = idempotencyKey,
            UniqueUntil = uniqueUntil,
            Fingerprint = fingerprint,
            Starts = starts,
        };

    private protected static JobAction Action(
        Guid id, JobEvent happened, JobTraits? kind = null, long fence = 0, string payload = "", DateTimeOffset? now = null, DateTimeOffset? due = null) => new()
        {
            Id = id,
            Happened = happened,
            Kind = kind ?? Once,
            Moment = new JobMoment(now ?? Now, 0.5) { Fence = fence, Due = due },
            Payload = Bytes(payload),
        };

    // ---- commits ----

    private protected async Task<JobBatch> CommitAsync(Action<JobBatch> fill, DateTimeOffset? now = null)
    {
        var batch = new JobBatch(now ?? Now);
        fill(batch);
        await Store.CommitAsync(batch);
        return batch;
    }

    private protected async Task<NewJob> AcceptAsync(NewJob? job = null, DateTimeOffset? now = null)
    {
        job ??= Job();
        await CommitAsync(batch => batch.Jobs.Add(job), now);
        return job;
    }

    private protected async Task AcceptAsync(IEnumerable<NewJob> jobs) => await CommitAsync(batch => batch.Jobs.AddRange(jobs));

    /// <summary>A job that runs, with fence 1.</summary>
    private protected async Task<Guid> StartAsync(string kind = Kind)
    {
        var job = await AcceptAsync(Job(kind, starts: true));
        Assert.Equal(1, job.Claimed?.Record.Status.Fence);
        return job.Id;
    }

    private protected async Task<JobAction> ActAsync(
        Guid id, JobEvent happened, JobTraits? kind = null, long fence = 0, string payload = "", DateTimeOffset? now = null, DateTimeOffset? due = null)
    {
        var action = Action(id, happened, kind, fence, payload, now, due);
        await CommitAsync(batch => batch.Actions.Add(action), now);
        return action;
    }

    private protected async Task<JobAction> ActAsync(Guid id, JobEvent happened, long fence, ReadOnlyMemory<byte> payload)
    {
        var action = new JobAction { Id = id, Happened = happened, Kind = Once, Moment = new JobMoment(Now, 0.5) { Fence = fence }, Payload = payload };
        await CommitAsync(batch => batch.Actions.Add(action));
        return action;
    }

    private protected async Task<JobAction> EditAsync(Guid id, ReadOnlyMemory<byte> arguments, ulong signature, string? key = null)
    {
        var action = new JobAction { Id = id, Happened = JobEvent.ArgumentsEdited, Kind = Once, Moment = new JobMoment(Now, 0.5), Payload = arguments, Signature = signature, Key = key };
        await CommitAsync(batch => batch.Actions.Add(action));
        return action;
    }

    private protected async Task<NewItems> AppendAsync(Guid id, long fence, params ReadOnlyMemory<byte>[] items)
    {
        var appended = new NewItems { Id = id, Fence = fence, Items = items };
        await CommitAsync(batch => batch.Items.Add(appended));
        return appended;
    }

    private protected static JobClaim Claim(int slots, params KindClaim[] kinds) => new() { Slots = slots, Kinds = kinds };

    private protected static KindClaim Of(string kind, int slots = int.MaxValue, string? afterKey = null, int? maxPerKey = null, int? maxTotal = null) =>
        new() { Kind = kind, Slots = slots, Limits = new KindLimits(maxPerKey, maxTotal), Turn = new JobTurn(0, afterKey, afterKey, afterKey) };

    private protected async Task<JobClaim> ClaimAsync(int slots, params KindClaim[] kinds)
    {
        var claim = Claim(slots, kinds);
        await CommitAsync(batch => batch.Claims.Add(claim));
        return claim;
    }

    /// <summary>Claims the next job of a kind, which there is.</summary>
    private protected async Task<ClaimedJob> ClaimAsync(string kind = Kind, DateTimeOffset? now = null)
    {
        var claim = Claim(1, Of(kind));
        await CommitAsync(batch => batch.Claims.Add(claim), now);
        return Assert.Single(claim.Jobs);
    }

    /// <summary>Lets the time of jobs come, and pass.</summary>
    private protected async Task<JobBatch> MoveAsync(DateTimeOffset now) => await CommitAsync(static batch => batch.MovesDue = true, now);

    private protected async Task<JobBatch> PauseAsync(string kind = Kind, bool isPaused = true) => await CommitAsync(batch => batch.Pauses.Add(new KindPause(kind, isPaused)));

    // ---- reads ----

    private protected async Task<JobRecord?> TryFindAsync(Guid id) => await Store.FindAsync(id, TestContext.Current.CancellationToken);

    private protected async Task<JobRecord> FindAsync(Guid id)
    {
        var record = await TryFindAsync(id);
        Assert.NotNull(record);
        Assert.Equal(id, record.Id);
        return record;
    }

    private protected async Task<JobState> StateAsync(Guid id) => (await FindAsync(id)).Status.State;

    private protected async Task<NewJob> CallAsync(Guid id)
    {
        var call = await Store.FindCallAsync(id, TestContext.Current.CancellationToken);
        Assert.NotNull(call);
        return call;
    }

    private protected async Task<ReadOnlyMemory<byte>?> ResultAsync(Guid id) => await Store.ReadResultAsync(id, TestContext.Current.CancellationToken);

    private protected async Task<IReadOnlyList<JobAttempt>> AttemptsAsync(Guid id) => await Store.ReadAttemptsAsync(id, TestContext.Current.CancellationToken);

    /// <summary>All items from an index on, in as many reads as it takes.</summary>
    private protected async Task<List<ReadOnlyMemory<byte>>> ItemsAsync(Guid id, long from = 0)
    {
        var all = new List<ReadOnlyMemory<byte>>();
        var run = (await TryFindAsync(id))?.Run ?? 0;
        Assert.Empty(await Store.ReadItemsAsync(id, run + 1, from, TestContext.Current.CancellationToken));
        while (true)
        {
            var read = await Store.ReadItemsAsync(id, run, from + all.Count, TestContext.Current.CancellationToken);
            if (read.Count == 0)
            {
                return all;
            }

            all.AddRange(read);
        }
    }

    /// <summary>All jobs that have ended, in as many parts as it takes.</summary>
    private protected static async Task<List<EndedJob>> EndedAsync(IJobStore store)
    {
        var all = new List<EndedJob>();
        for (long? after = 0; after is { } from;)
        {
            var part = await store.ReadEndedAsync(from, TestContext.Current.CancellationToken);
            all.AddRange(part.Jobs);
            after = part.Next;
        }

        return all;
    }

    private protected async Task<IReadOnlyList<JobRecord>> ListAsync(JobQuery query) => await Store.ListAsync(query, TestContext.Current.CancellationToken);

    private protected async Task<List<JobCount>> CountAsync() =>
        [.. (await Store.CountAsync(TestContext.Current.CancellationToken)).OrderBy(static count => count.Kind, StringComparer.Ordinal).ThenBy(static count => count.State)];

    private protected static IEnumerable<Guid> Ids(IEnumerable<NewJob> jobs) => jobs.Select(static job => job.Id);

    private protected static IEnumerable<Guid> Ids(JobClaim claim) => claim.Jobs.Select(static job => job.Record.Id);

    private protected static IEnumerable<string> Kinds(JobClaim claim) => claim.Jobs.Select(static job => job.Record.Kind);

    private protected static IEnumerable<string> Keys(JobClaim claim) => claim.Jobs.Select(static job => job.Record.Key);

    private protected IEnumerable<NewJob> WithKeys(params string[] keys) => keys.Select(key => Job(key: key));

    /// <summary>Compares records by what they say: memory is compared by its bytes.</summary>
    private protected static void Same(JobRecord expected, JobRecord actual)
    {
        Assert.Equal(Text(expected.Failure), Text(actual.Failure));
        Assert.Equal(expected with { Failure = default }, actual with { Failure = default });
    }

    private protected static void Same(ReadOnlyMemory<byte> expected, ReadOnlyMemory<byte>? actual)
    {
        Assert.NotNull(actual);
        Assert.True(expected.Span.SequenceEqual(actual.Value.Span), $"{expected.Length} bytes were stored, and other ones read: {actual.Value.Length}.");
    }
}
