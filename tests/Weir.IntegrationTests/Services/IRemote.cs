using System.Security.Claims;

namespace Weir.IntegrationTests.Services;

/// <summary>What the other probes do, by a contract that a client can call over HTTP.</summary>
[Service]
public interface IRemoteSync
{
    ValueTask<int> Add(int a, int b, CancellationToken ct = default);

    ValueTask<string> Echo(string text, CancellationToken ct = default);

    ValueTask<string?> Nothing(string? text, CancellationToken ct = default);

    ValueTask<byte[]> Reverse(ReadOnlyMemory<byte> data, CancellationToken ct = default);

    ValueTask<Basket> Grow(Basket basket, int amount, CancellationToken ct = default);

    ValueTask Forget(CancellationToken ct = default);

    ValueTask<int> Fail(string message, CancellationToken ct = default);

    [Throws(typeof(OutOfStockException), Status = 409)]
    ValueTask<int> Take(int count, CancellationToken ct = default);

    ValueTask<int> Refuse(int statusCode, CancellationToken ct = default);

    ValueTask<int> ProcessId(CancellationToken ct = default);

    ValueTask<string> Who(ClaimsPrincipal? user = null, CancellationToken ct = default);
}

[Service(typeof(IRemoteSync))]
public sealed class RemoteSync
{
    private readonly Probe _probe = new();

    public int Add(int a, int b) => _probe.Add(a, b);

    public string Echo(string text) => _probe.Echo(text);

    public string? Nothing(string? text) => _probe.Nothing(text);

    public byte[] Reverse(ReadOnlyMemory<byte> data) => _probe.Reverse(data);

    public Basket Grow(Basket basket, int amount) => _probe.Grow(basket, amount);

    public void Forget() => _probe.Forget();

    public int Fail(string message) => _probe.Fail(message);

    public int Take(int count) => _probe.Take(count);

    public int Refuse(int statusCode) => _probe.Refuse(statusCode);

    public int ProcessId() => _probe.ProcessId();

    public string Who(ClaimsPrincipal user, OperationContext context) => _probe.Who(user, context);

    private sealed class Probe : SyncProbe;
}

/// <summary>The streams of the other probes.</summary>
[Service]
public interface IRemoteAsync
{
    IAsyncEnumerable<int> Count(int n, CancellationToken ct = default);

    IAsyncEnumerable<int> CountAndFail(int n, CancellationToken ct = default);
}

[Service(typeof(IRemoteAsync))]
public sealed class RemoteAsync
{
    private readonly Probe _probe = new();

    public IAsyncEnumerable<int> Count(int n, CancellationToken ct = default) => _probe.Count(n, ct);

    public IAsyncEnumerable<int> CountAndFail(int n, CancellationToken ct = default) => _probe.CountAndFail(n);

    private sealed class Probe : AsyncProbe;
}
