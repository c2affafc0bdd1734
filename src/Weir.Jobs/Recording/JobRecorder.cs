using System.Buffers.Binary;
using System.Data.Common;
using System.Globalization;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Payloads;
using Weir.Jobs.Running;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.Recording;

/// <summary>Makes jobs of calls, and submits them. Any thread.</summary>
/// <param name="engine">Stores them.</param>
/// <param name="arguments">Validates and writes their arguments.</param>
internal sealed class JobRecorder(JobEngine engine, JobArguments arguments)
{
    private const int MostText = 200;
    private static readonly TimeSpan NotAcceptedPause = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan LongestDelay = TimeSpan.FromDays(3_650);

    /// <summary>A job of a call.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="options">How it is submitted; <c>null</c> for the defaults.</param>
    /// <exception cref="InvalidOperationException">The operation is no job.</exception>
    /// <exception cref="BindingException">The arguments are not valid.</exception>
    /// <exception cref="PayloadTooLargeException">They are too large.</exception>
    /// <exception cref="ArgumentException">The options contradict each other or the kind.</exception>
    public NewJobRequest Request(Call call, JobOptions? options) => Request(call, options, Text(options?.Owner, nameof(JobOptions.Owner)), arguments.Write(call));

    /// <summary>A job of a call that came over HTTP: its arguments are bound and valid.</summary>
    /// <param name="call">The call.</param>
    /// <param name="owner">Who the caller is; empty for an anonymous one.</param>
    /// <param name="idempotencyKey">1 to 200 characters; <c>null</c> for none.</param>
    /// <exception cref="PayloadTooLargeException">The arguments are too large.</exception>
    /// <exception cref="ArgumentException">The key that the kind takes from them is too long.</exception>
    public NewJobRequest RequestOfCaller(Call call, string owner, string? idempotencyKey) =>
        Request(call, idempotencyKey is null ? null : new JobOptions { IdempotencyKey = idempotencyKey }, owner, JobArguments.WriteValid(call));

    private NewJobRequest Request(Call call, JobOptions? options, string? owner, byte[] stored)
    {
        var kind = engine.Kinds.Of(call.Operation);
        var now = engine.Time.GetUtcNow();
        var due = DueOf(options, now);
        var key = KeyOf(kind, call, options, owner);
        var expires = ExpiresOf(options, now, due);
        var uniqueUntil = UniqueUntilOf(options);
        var priority = PriorityOf(options);
        var idempotencyKey = Text(options?.IdempotencyKey, nameof(JobOptions.IdempotencyKey));
        var fingerprint = idempotencyKey is null ? 0 : Fingerprint(stored);
        var id = JobId.New(now);
        var parent = CurrentJob.Value?.Id;
        var culture = CultureInfo.CurrentCulture.Name;
        using var span = JobSpans.Send(kind.Name, id);
        var current = span ?? System.Diagnostics.Activity.Current;
        var (trace, state) = (current?.Id, current?.TraceStateString);
        return new NewJobRequest(kind, new NewJob
        {
            Id = id,
            Kind = kind.Name,
            Signature = call.Operation.Signature,
            Arguments = stored,
            Submitted = now,
            Due = due,
            Expires = expires,
            Priority = priority,
            Key = key,
            Owner = owner,
            Parent = parent,
            TraceParent = trace,
            TraceState = state,
            Culture = culture.Length == 0 ? null : culture,
            IdempotencyKey = idempotencyKey,
            UniqueUntil = uniqueUntil,
            Fingerprint = fingerprint,
        });
    }

    /// <summary>Stores jobs: all of them, or none.</summary>
    public Task SubmitAsync(NewJobRequest[] requests, CancellationToken cancellationToken) => SubmitAsync(requests, null, cancellationToken);

    /// <summary>Stores jobs: all of them, or none.</summary>
    /// <param name="requests">The jobs.</param>
    /// <param name="transaction">Decides whether they exist; <c>null</c> for a commit of the store.</param>
    /// <param name="cancellationToken">Counts until they are handed to the store.</param>
    public async Task SubmitAsync(NewJobRequest[] requests, DbTransaction? transaction, CancellationToken cancellationToken)
    {
        if (!engine.Accepts)
        {
            throw new CallRejectedException(
                WeirCodes.JobsNotAccepted, $"This application accepts no jobs (Weir:Jobs:Accept is false): submit it where they are accepted. Nothing was stored. See {WeirCodes.JobsNotAccepted}.", NotAcceptedPause);
        }

        if (!engine.WhenOpen.IsCompletedSuccessfully)
        {
            // The host starts, and this is faster.
            await engine.WhenOpen.WaitAsync(cancellationToken);
        }

        if (engine.Backlog.IsFull(requests[0].Kind))
        {
            requests[0].Job.OnlyExisting = requests[0].Job.IdempotencyKey is not null ? true : throw JobBacklog.Full(requests[0].Kind);
        }

        if (transaction is not null)
        {
            await AcceptAsync(transaction, requests, cancellationToken);
            return;
        }

        if (engine.Runner.Driver is { } driver)
        {
            await driver.AcceptAsync(requests, cancellationToken);
            return;
        }

        await engine.Scheduler.AcceptAsync(requests, cancellationToken);
    }

    private async Task AcceptAsync(DbTransaction transaction, NewJobRequest[] requests, CancellationToken cancellationToken)
    {
        try
        {
            await engine.Store.AcceptAsync(transaction, [.. requests.Select(static request => request.Job)], engine.Time.GetUtcNow(), cancellationToken);
        }
        catch (JobStoreException failure)
        {
            throw StoreErrors.Unavailable(failure);
        }

        if (requests.FirstOrDefault(static request => request.Job.IsRefused) is { } refused)
        {
            throw JobBacklog.Full(refused.Kind);
        }

        if (requests.FirstOrDefault(static request => request.Job.IsKeyReused) is { } reused)
        {
            throw new JobKeyReusedException(reused.Job.Existing!.Value, reused.Job.Kind, reused.Job.IdempotencyKey!);
        }
    }

    /// <summary>Of the arguments as they were submitted.</summary>
    public static ulong Fingerprint(ReadOnlySpan<byte> arguments)
    {
        Span<byte> hash = stackalloc byte[32];
        System.Security.Cryptography.SHA256.HashData(arguments, hash);
        return BinaryPrimitives.ReadUInt64LittleEndian(hash);
    }

    private static DateTimeOffset DueOf(JobOptions? options, DateTimeOffset now)
    {
        if (options is { Due: not null, After: not null })
        {
            throw new ArgumentException("JobOptions has Due and After: set one of them.", nameof(options));
        }

        if (options?.After is { } after && (after < TimeSpan.Zero || after > LongestDelay))
        {
            throw new ArgumentException($"JobOptions.After is {after}; set it to zero to {LongestDelay.TotalDays} days.", nameof(options));
        }

        var due = options?.Due?.ToUniversalTime() ?? now + (options?.After ?? TimeSpan.Zero);
        return due - now > LongestDelay ? throw new ArgumentException($"JobOptions.Due is {due:O}; set it to at most {LongestDelay.TotalDays} days from now.", nameof(options)) : due;
    }

    private static DateTimeOffset? ExpiresOf(JobOptions? options, DateTimeOffset now, DateTimeOffset due) => options?.ExpiresAfter switch
    {
        null => null,
        { } after when after <= TimeSpan.Zero || after > LongestDelay => throw new ArgumentException($"JobOptions.ExpiresAfter is {after}; set it to a time longer than zero and at most {LongestDelay.TotalDays} days.", nameof(options)),
        { } after when now + after <= due => throw new ArgumentException($"JobOptions.ExpiresAfter is {after}, and the job is due only after {due - now}: it could never begin. Set a longer time.", nameof(options)),
        { } after => now + after,
    };

    private static JobUniqueness UniqueUntilOf(JobOptions? options) => options?.UniqueUntil switch
    {
        null or JobUniqueness.Retention => JobUniqueness.Retention,
        JobUniqueness.Ended when options.IdempotencyKey is null => throw new ArgumentException("JobOptions.UniqueUntil is Ended, and there is no key that could be unique: set IdempotencyKey, too.", nameof(options)),
        JobUniqueness.Ended => JobUniqueness.Ended,
        { } other => throw new ArgumentException($"JobOptions.UniqueUntil is {other}; set it to Retention or Ended.", nameof(options)),
    };

    private static JobPriority PriorityOf(JobOptions? options) => options?.Priority switch
    {
        null => JobPriority.Normal,
        { } priority when Enum.IsDefined(priority) => priority,
        { } other => throw new ArgumentException($"JobOptions.Priority is {other}; set it to High, Normal or Low.", nameof(options)),
    };

    private static string KeyOf(JobKind kind, Call call, JobOptions? options, string? owner)
    {
        var own = kind.OwnKey(call);
        if (own is not null && options?.Key is not null)
        {
            throw new ArgumentException($"JobOptions.Key is '{options.Key}', and the kind {kind} takes its key from a parameter ([Job(Key = …)]): remove one.", nameof(options));
        }

        return options?.Key is not { Length: > JobKey.MostLength } key
            ? own ?? options?.Key ?? owner ?? ""
            : throw new ArgumentException($"JobOptions.Key of a job of {kind} has {key.Length} characters; it may have {JobKey.MostLength}.", nameof(options));
    }

    private static string? Text(string? text, string name) => text switch
    {
        null => null,
        { Length: 0 or > MostText } => throw new ArgumentException($"JobOptions.{name} has {text.Length} characters; it may have 1 to {MostText}.", name),
        _ => text,
    };
}
