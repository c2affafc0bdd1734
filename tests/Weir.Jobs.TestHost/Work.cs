using System.Runtime.CompilerServices;

namespace Weir.Jobs.TestHost;

/// <summary>Jobs in the host.</summary>
[Service]
public sealed class Work
{
    public const int Items = 20;

    [Job]
    public void Once(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        step.Done();
    }

    [Job, Idempotent]
    public async Task Repeatable(int number, OperationContext context, CancellationToken ct)
    {
        using var step = Oracle.Begin(context);
        await Task.Delay(number % 20, ct);
        step.Done();
    }

    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<long> Pages(int number, OperationContext context, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        using var step = Oracle.Begin(context);
        for (var index = from; index < Items; index++)
        {
            await Task.Delay(2, ct);
            yield return index;
        }

        step.Done();
    }

    [Job(Attempts = 3, Backoff = "00:00:00.020")]
    public void Flaky(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        if (step.Attempt <= number % 4)
        {
            throw new InvalidOperationException($"Attempt {step.Attempt} fails.");
        }

        step.Done();
    }

    [Job]
    public void Again(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        if (step.Attempt < 3)
        {
            throw new JobRetryException(TimeSpan.FromMilliseconds(number % 3), "not yet");
        }

        step.Done();
    }

    /// <summary>Never beside another one of its key.</summary>
    [Job(Key = nameof(key), MaxPerKey = 1), Idempotent]
    public async Task AloneRepeatable(string key, OperationContext context, CancellationToken ct)
    {
        using var step = Oracle.Begin(context);
        using var alone = Oracle.Alone(key);
        await Task.Delay(3, ct);
        step.Done();
    }

    /// <summary>Its contract is another one in the next version: neither understands what the other one submits.</summary>
    [Job]
#if NEXT
    public void Changed(string text, Guid required, OperationContext context)
#else
    public void Changed(int number, OperationContext context)
#endif
    {
        using var step = Oracle.Begin(context);
        step.Done();
    }

    /// <summary>Runs by a schedule of the configuration.</summary>
    [Job]
    public void Tick(OperationContext context) => Oracle.Write($"tick {context.Job!.Id} {context.Job.ScheduledFor.UtcTicks}");

    /// <summary>Its result is its argument.</summary>
    [Job]
    public byte[] Echo(byte[] bytes, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        step.Done();
        return bytes;
    }

    /// <summary>Its arguments fill the log of the store.</summary>
    [Job]
    public int Bulky(byte[] bytes, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        step.Done();
        return bytes.Length;
    }

    /// <summary>Honours its token.</summary>
    [Job]
    public async Task Slow(int number, OperationContext context, CancellationToken ct)
    {
        using var step = Oracle.Begin(context);
        await Task.Delay(200, ct);
        step.Done();
    }

    /// <summary>Honours its token, and is run again.</summary>
    [Job, Idempotent]
    public async Task SlowRepeatable(int number, OperationContext context, CancellationToken ct)
    {
        using var step = Oracle.Begin(context);
        await Task.Delay(200, ct);
        step.Done();
    }

    /// <summary>Takes longer than any drain, and honours its token.</summary>
    [Job]
    public async Task Long(int number, OperationContext context, CancellationToken ct)
    {
        using var step = Oracle.Begin(context);
        await Task.Delay(TimeSpan.FromMinutes(10), ct);
        step.Done();
    }

    /// <summary>The first attempt takes longer than any drain; it is run again.</summary>
    [Job, Idempotent]
    public async Task LongRepeatable(int number, OperationContext context, CancellationToken ct)
    {
        using var step = Oracle.Begin(context);
        await Task.Delay(step.Attempt == 1 ? TimeSpan.FromMinutes(10) : TimeSpan.Zero, ct);
        step.Done();
    }

    /// <summary>Ignores its token.</summary>
    [Job]
    public async Task Deaf(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        await Task.Delay(number);
        step.Done();
    }

    /// <summary>Its back-off is long: the next attempt is due in the minutes after.</summary>
    [Job(Attempts = 2, Backoff = "00:10:00")]
    public void FailsOnce(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        if (step.Attempt == 1)
        {
            throw new InvalidOperationException("The first attempt fails.");
        }

        step.Done();
    }

    [Job]
    public void EndsHost(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        Environment.FailFast("a job ends its host");
    }

    [Job, Idempotent]
    public void EndsHostRepeatable(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        Environment.FailFast("a job ends its host");
    }
}
