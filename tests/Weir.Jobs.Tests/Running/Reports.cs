using System.Runtime.CompilerServices;

namespace Weir.Jobs.Tests.Running;

public sealed record Report(string Tenant, int Year, string By);

public sealed class NotReadyException(string message) : Exception(message);

/// <summary>What the tests submit.</summary>
[Service]
public sealed class Reports(Board board, IJobs<IReportsClient> jobs)
{
    [Job, Idempotent]
    public Report Build(string tenant, int year, OperationContext context) => new(tenant, year, context.Job?.Id.ToString() ?? "direct");

    [Job]
    public void Charge(string tenant, decimal amount) => board.Add($"charge {tenant} {amount}");

    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<int> Pages(int count, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var index = (int)from; index < count; index++)
        {
            await Task.Yield();
            yield return index;
        }
    }

    [Job(Attempts = 3, Backoff = "00:00:00.010")]
    public int Flaky(string name, int failures)
    {
        var attempt = board.Count($"flaky {name}");
        return attempt <= failures ? throw new InvalidOperationException($"Attempt {attempt} fails.") : attempt;
    }

    [Job, Throws(typeof(NotReadyException))]
    public void Refuse(string why) => throw new NotReadyException(why);

    [Job]
    public async Task<string> Wait(string gate, OperationContext context, CancellationToken ct)
    {
        context.Job!.Report(0.5, "waits");
        await board.Gate(gate).WaitAsync(ct);
        return gate;
    }

    [Job]
    public string Again(string name, OperationContext context) =>
        board.Count($"again {name}") < 3 ? throw new JobRetryException(TimeSpan.FromMilliseconds(5), "not yet") : $"after {context.Job!.Attempt} starts";

    [Job(Timeout = "00:00:00.100")]
    public Task Slow(CancellationToken ct) => Task.Delay(Timeout.Infinite, ct);

    [Job]
    public byte[] Reverse(byte[] bytes, string? note) => [.. bytes.Reverse()];

    [Job, Blocking]
    public string OnLane(string name, OperationContext context)
    {
        context.Job!.Report(1, name);
        return Thread.CurrentThread.Name ?? "";
    }

    [Job]
    public async Task<int> Nested(int depth, CancellationToken ct) =>
        depth == 1 ? 1 : 1 + await (await jobs.EnqueueAsync(reports => reports.Nested(depth - 1), cancellationToken: ct)).ResultAsync(ct);

    [Job]
    public async IAsyncEnumerable<int> EndlessPages(string gate)
    {
        yield return 0;
        yield return 1;
        await board.Gate(gate);
        for (var index = 2; ; index++)
        {
            await Task.Yield();
            yield return index;
        }
    }

    [Job(Attempts = 2, Backoff = "00:00:00")]
    public int NotPlaced(string name)
    {
        board.Add(name);
        throw new WorkerLostException(WeirCodes.WorkerStartFailed, "A pool that this operation called starts no worker.", "other", 0, "start") { MayHaveRun = false };
    }

    [Job(Timeout = "00:00:00.200"), Blocking]
    public void BriefOnLane()
    {
    }

    [Job(Timeout = "00:00:00.100"), Blocking]
    public void LongOnLane(CancellationToken ct)
    {
        ct.WaitHandle.WaitOne();
        ct.ThrowIfCancellationRequested();
    }

    [Blocking]
    public void BlockLane(string gate)
    {
        board.Add("blocks");
        board.Gate(gate).Wait();
    }

    public int Direct() => 1;
}
