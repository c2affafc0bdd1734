using System.Runtime.CompilerServices;
using System.Text;

namespace Weir.TypeScript.Tests.Application;

/// <summary>Operations of every kind of result that can be jobs.</summary>
[Service]
public sealed class Reports(Ledger ledger)
{
    /// <summary>Builds a report.</summary>
    [Job, Idempotent]
    public async Task<Report> Build(string tenant, int year, OperationContext context, int delay = 0, CancellationToken ct = default)
    {
        context.Job?.Report(0.5, $"half of {year}");
        await Task.Delay(delay, ct);
        return new Report(tenant, year, 9_007_199_254_740_993);
    }

    [Job, Get, Post]
    public void Charge(decimal amount) => ledger.Charge((int)amount);

    [Get]
    public int Charged() => ledger.Charged;

    [Job]
    public byte[] Reverse(ReadOnlyMemory<byte> bytes) => [.. bytes.ToArray().Reverse()];

    [Job]
    public byte[]? Print(string? text = null) => text is null ? null : Encoding.UTF8.GetBytes(text);

    /// <summary>Pages with a pause before each.</summary>
    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<Page> Pages(int count, int delay = 0, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var index = from; index < count; index++)
        {
            await Task.Delay(delay, ct);
            yield return new Page(index, 9_007_199_254_740_993 + index);
        }
    }

    [Job]
    public async IAsyncEnumerable<ReadOnlyMemory<byte>> Parts(int count)
    {
        for (var index = 0; index < count; index++)
        {
            yield return new byte[] { (byte)index, 255 };
            await Task.Yield();
        }
    }

    [Job, Throws(typeof(SoldOutException), Status = 410)]
    public int Fail(string how) => throw (how == "declared" ? new SoldOutException("no more") : new InvalidOperationException("secret"));

    /// <summary>Fails after some items.</summary>
    [Job]
    public async IAsyncEnumerable<int> FailLate(int after)
    {
        for (var index = 0; index < after; index++)
        {
            yield return index;
            await Task.Yield();
        }

        throw new OperationStatusException(409, "late");
    }

    /// <summary>Has the name of what submits.</summary>
    [Job]
    public string Jobs() => "jobs";

    /// <summary>Has the name of what finds a job.</summary>
    [Job]
    public string Get() => "get";
}

public sealed record Report(string Tenant, int Year, long Total);

public sealed record Page(long Number, long Total);
