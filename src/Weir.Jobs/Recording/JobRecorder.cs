using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Payloads;
using Weir.Jobs.Running;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.Recording;

/// <summary>Makes jobs of calls, and submits them. Any thread.</summary>
/// <param name="engine">Stores them.</param>
/// <param name="services">For validation attributes.</param>
internal sealed class JobRecorder(JobEngine engine, IServiceProvider services)
{
    /// <summary>The most bytes of the arguments of a job, and of the jobs of one submission together.</summary>
    public const int MostArguments = 16 * 1024 * 1024;

    private const int MostText = 200;
    private static readonly TimeSpan LongestDelay = TimeSpan.FromDays(3_650);

    [ThreadStatic]
    private static ArgumentWriter? _writer;

    /// <summary>A job of a call.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="options">How it is submitted; <c>null</c> for the defaults.</param>
    /// <exception cref="InvalidOperationException">The operation is no job.</exception>
    /// <exception cref="BindingException">The arguments are not valid.</exception>
    /// <exception cref="PayloadTooLargeException">They are too large.</exception>
    /// <exception cref="ArgumentException">The options contradict each other or the kind.</exception>
    public NewJobRequest Request(Call call, JobOptions? options)
    {
        var kind = engine.Kinds.Of(call.Operation);
        Validate(call);
        var now = engine.Time.GetUtcNow();
        var due = DueOf(options, now);
        var key = KeyOf(kind, call, options);
        var owner = Text(options?.Owner, nameof(JobOptions.Owner));
        var idempotencyKey = Text(options?.IdempotencyKey, nameof(JobOptions.IdempotencyKey));
        var arguments = StoredArguments.Write(call, _writer ??= new ArgumentWriter());
        if (arguments.Length > MostArguments)
        {
            throw new PayloadTooLargeException(
                CallStatus.BadRequest, $"The arguments of {call.Operation} take {arguments.Length} bytes; those of a job may have {MostArguments}. Store them elsewhere, and pass where. See {WeirCodes.PayloadTooLarge}.");
        }

        var fingerprint = idempotencyKey is null ? 0 : Fingerprint(arguments);
        var id = NewId(now);
        var parent = CurrentJob.Value?.Id;
        var culture = CultureInfo.CurrentCulture.Name;
        using var span = JobSpans.Send(kind.Name, id);
        var current = span ?? System.Diagnostics.Activity.Current;
        var (trace, state) = (current?.Id, current?.TraceStateString);
        return new NewJobRequest(kind, id, due, arguments.Length, starts => new NewJob
        {
            Id = id,
            Kind = kind.Name,
            Signature = call.Operation.Signature,
            Arguments = arguments,
            Submitted = now,
            Due = due,
            Key = key,
            Owner = owner,
            Parent = parent,
            TraceParent = trace,
            TraceState = state,
            Culture = culture.Length == 0 ? null : culture,
            IdempotencyKey = idempotencyKey,
            Fingerprint = fingerprint,
            Starts = starts,
        });
    }

    /// <summary>Stores jobs: all of them, or none.</summary>
    public async Task SubmitAsync(NewJobRequest[] requests, CancellationToken cancellationToken)
    {
        if (!engine.WhenOpen.IsCompletedSuccessfully)
        {
            // The host starts, and this is faster.
            await engine.WhenOpen.WaitAsync(cancellationToken);
        }

        await engine.Scheduler.AcceptAsync(requests, cancellationToken);
    }

    /// <summary>
    /// An id: a UUID of version 7, the time in milliseconds and 74 random bits. Ids that are made one after the other lie beside each other in a store's index: SQLite stores 1.4 to 2.3 times as many jobs
    /// a second as with 128 random bits (docs/decisions/0060).
    /// </summary>
    public static Guid NewId(DateTimeOffset now)
    {
        Span<byte> bits = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(bits, now.ToUnixTimeMilliseconds() << 16);
        RandomNumberGenerator.Fill(bits[6..]);
        bits[6] = (byte)((bits[6] & 0x0F) | 0x70);
        bits[8] = (byte)((bits[8] & 0x3F) | 0x80);
        return new Guid(bits, bigEndian: true);
    }

    /// <summary>Of the arguments as they were submitted.</summary>
    public static ulong Fingerprint(ReadOnlySpan<byte> arguments)
    {
        Span<byte> hash = stackalloc byte[32];
        SHA256.HashData(arguments, hash);
        return BinaryPrimitives.ReadUInt64LittleEndian(hash);
    }

    private void Validate(Call call)
    {
        if (call.Operation.HasValidation)
        {
            var errors = new BindingErrorList();
            call.Validate(new ArgumentValidator(errors, services));
            errors.ThrowIfAny();
        }
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

    private static string KeyOf(JobKind kind, Call call, JobOptions? options)
    {
        var own = kind.KeyOf(call);
        if (own is not null && options?.Key is not null)
        {
            throw new ArgumentException($"JobOptions.Key is '{options.Key}', and the kind {kind} takes its key from a parameter ([Job(Key = …)]): remove one.", nameof(options));
        }

        var key = own ?? options?.Key ?? "";
        return key.Length <= JobKind.MostKey ? key : throw new ArgumentException($"The key of a job of {kind} has {key.Length} characters; it may have {JobKind.MostKey}.", nameof(options));
    }

    private static string? Text(string? text, string name) => text switch
    {
        null => null,
        { Length: 0 or > MostText } => throw new ArgumentException($"JobOptions.{name} has {text.Length} characters; it may have 1 to {MostText}.", name),
        _ => text,
    };
}
