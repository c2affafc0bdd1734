using System.Runtime.CompilerServices;

namespace Weir.Client.Tests.Services;

public sealed record Report(string Tenant, int Year);

/// <summary>Operations whose calls can be jobs, and some whose calls cannot.</summary>
[Service]
public interface IReports
{
    [Job, Idempotent]
    ValueTask<Report> Build(string tenant, int year, CancellationToken ct = default);

    [Job]
    Task<Report?> Find(string tenant);

    [Job]
    ValueTask Charge(string tenant, decimal amount, CancellationToken ct = default);

    [Job]
    ValueTask<byte[]> Render(string tenant, int length);

    [Job]
    ValueTask<ReadOnlyMemory<byte>> Copy(ReadOnlyMemory<byte> content);

    [Job]
    [Throws(typeof(GoneException), Status = 410)]
    ValueTask<int> Fail(string kind, string message);

    /// <summary>Ends when it is cancelled.</summary>
    [Job]
    ValueTask Wait(CancellationToken ct = default);

    [Job, Idempotent, Resumable]
    IAsyncEnumerable<int> Pages(int n, int pauseEach = 0, long from = 0, CancellationToken ct = default);

    [Job]
    IAsyncEnumerable<int> Numbers(int n);

    [Job]
    [Throws(typeof(GoneException), Status = 410)]
    IAsyncEnumerable<int> Broken(int n, string message);

    [Job]
    IAsyncEnumerable<ReadOnlyMemory<byte>> Blocks(int n);

    [Get, Post, Job]
    ValueTask<int> Either(int year);

    [Job(Respond = JobRespond.Never)]
    ValueTask<int> Never(int year);

    ValueTask<int> Direct(int year);
}

/// <summary>A contract that another application serves.</summary>
[Service]
public interface IArchive
{
    [Job(Respond = JobRespond.Always)]
    ValueTask<int> Store(int year);
}

[Service]
public sealed class Reports : IReports
{
    public ValueTask<Report> Build(string tenant, int year, CancellationToken ct = default) => new(new Report(tenant, year));

    public Task<Report?> Find(string tenant) => Task.FromResult(tenant.Length == 0 ? null : new Report(tenant, 0));

    public ValueTask Charge(string tenant, decimal amount, CancellationToken ct = default) => default;

    public ValueTask<byte[]> Render(string tenant, int length) => new(new byte[length]);

    public ValueTask<ReadOnlyMemory<byte>> Copy(ReadOnlyMemory<byte> content) => new(content);

    public ValueTask<int> Fail(string kind, string message) => kind == "gone" ? throw new GoneException(message) : throw new InvalidOperationException(message);

    public async ValueTask Wait(CancellationToken ct = default) => await Task.Delay(Timeout.Infinite, ct);

    public async IAsyncEnumerable<int> Pages(int n, int pauseEach = 0, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var index = (int)from; index < n; index++)
        {
            await Task.Delay(pauseEach, ct);
            yield return index;
        }
    }

    public IAsyncEnumerable<int> Numbers(int n) => Enumerable.Range(0, n).ToAsyncEnumerable();

    public async IAsyncEnumerable<int> Broken(int n, string message)
    {
        for (var index = 0; index < n; index++)
        {
            await Task.Yield();
            yield return index;
        }

        throw new GoneException(message);
    }

    public async IAsyncEnumerable<ReadOnlyMemory<byte>> Blocks(int n)
    {
        for (var index = 0; index < n; index++)
        {
            await Task.Yield();
            yield return new byte[] { (byte)index, 255 };
        }
    }

    public ValueTask<int> Either(int year) => new(year);

    public ValueTask<int> Never(int year) => new(year);

    public ValueTask<int> Direct(int year) => new(year);
}
