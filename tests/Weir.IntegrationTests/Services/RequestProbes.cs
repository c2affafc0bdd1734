using System.Runtime.CompilerServices;

namespace Weir.IntegrationTests.Services;

/// <summary>What an operation may do with a streamed request; the same contract inline, on the lane and in a worker.</summary>
public interface IRequestProbe
{
    Task<long> Sum(IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    Task<string> Join(string separator, IAsyncEnumerable<string?> words, CancellationToken ct = default);

    Task<string> Sizes(IAsyncEnumerable<byte[]> parts, CancellationToken ct = default);

    Task<int> First(IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    Task<string> Ignore(IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    Task<int> CountBeforeFailure(IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    Task<int> FailAt(int number, IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    /// <summary>Takes some and then waits without end.</summary>
    Task<int> TakeAndWait(int count, IAsyncEnumerable<string> items, CancellationToken ct = default);

    IAsyncEnumerable<int> Double(IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    /// <summary>Gives each text back so many times.</summary>
    IAsyncEnumerable<string> Repeat(int times, IAsyncEnumerable<string> items, CancellationToken ct = default);
}

[Service]
public interface IInlineRequests : IRequestProbe;

[Service]
public interface ILaneRequests : IRequestProbe;

[Service]
public interface IIsolatedRequests : IRequestProbe;

[Service]
public interface IIsolatedBlockingRequests : IRequestProbe;

public abstract class RequestProbe : IRequestProbe
{
    public async Task<long> Sum(IAsyncEnumerable<int> numbers, CancellationToken ct = default)
    {
        var sum = 0L;
        await foreach (var number in numbers.WithCancellation(ct))
        {
            sum += number;
        }

        return sum;
    }

    public async Task<string> Join(string separator, IAsyncEnumerable<string?> words, CancellationToken ct = default) =>
        string.Join(separator, await words.Select(static word => word ?? "(null)").ToListAsync(ct));

    public async Task<string> Sizes(IAsyncEnumerable<byte[]> parts, CancellationToken ct = default) =>
        string.Join(' ', await parts.Select(static part => part.Length).ToListAsync(ct));

    public async Task<int> First(IAsyncEnumerable<int> numbers, CancellationToken ct = default) => await numbers.FirstAsync(ct);

    public async Task<string> Ignore(IAsyncEnumerable<int> numbers, CancellationToken ct = default)
    {
        await Task.Yield();
        return "ignored";
    }

    public async Task<int> CountBeforeFailure(IAsyncEnumerable<int> numbers, CancellationToken ct = default)
    {
        var count = 0;
        try
        {
            await foreach (var _ in numbers.WithCancellation(ct))
            {
                count++;
            }
        }
        catch (Exception failure) when (failure is not OperationCanceledException)
        {
            return count;
        }

        return -1;
    }

    public async Task<int> FailAt(int number, IAsyncEnumerable<int> numbers, CancellationToken ct = default)
    {
        await foreach (var one in numbers.WithCancellation(ct))
        {
            if (one == number)
            {
                throw new InvalidOperationException($"at {number}");
            }
        }

        return number;
    }

    // Without the token, as people forget it: the items must end with the call all the same.
    public async Task<int> TakeAndWait(int count, IAsyncEnumerable<string> items, CancellationToken ct = default)
    {
        await items.Take(count).CountAsync(CancellationToken.None);
        await Task.Delay(Timeout.Infinite, ct);
        return count;
    }

    public async IAsyncEnumerable<int> Double(IAsyncEnumerable<int> numbers, [EnumeratorCancellation] CancellationToken ct = default)
    {
        await foreach (var number in numbers.WithCancellation(ct))
        {
            yield return 2 * number;
        }
    }

    public async IAsyncEnumerable<string> Repeat(int times, IAsyncEnumerable<string> items, [EnumeratorCancellation] CancellationToken ct = default)
    {
        await foreach (var item in items.WithCancellation(ct))
        {
            for (var i = 0; i < times; i++)
            {
                yield return item;
            }
        }
    }
}

[Service]
public sealed class InlineRequests : RequestProbe, IInlineRequests;

[Isolated("probe")]
public sealed class IsolatedRequests : RequestProbe, IIsolatedRequests;

[Service(typeof(ILaneRequests)), Blocking]
public sealed class LaneRequests : BlockingRequestProbe;

[Service(typeof(IIsolatedBlockingRequests)), Isolated("probe")]
public sealed class IsolatedBlockingRequests : BlockingRequestProbe;

/// <summary>The same for code that blocks.</summary>
public abstract class BlockingRequestProbe
{
    public long Sum(IAsyncEnumerable<int> numbers, CancellationToken ct) => numbers.ToBlockingEnumerable(ct).Sum(static number => (long)number);

    public string Join(string separator, IAsyncEnumerable<string?> words, CancellationToken ct) =>
        string.Join(separator, words.ToBlockingEnumerable(ct).Select(static word => word ?? "(null)"));

    public string Sizes(IAsyncEnumerable<byte[]> parts, CancellationToken ct) =>
        string.Join(' ', parts.ToBlockingEnumerable(ct).Select(static part => part.Length));

    public int First(IAsyncEnumerable<int> numbers, CancellationToken ct) => numbers.ToBlockingEnumerable(ct).First();

    public string Ignore(IAsyncEnumerable<int> numbers) => "ignored";

    public int CountBeforeFailure(IAsyncEnumerable<int> numbers, CancellationToken ct)
    {
        var count = 0;
        try
        {
            foreach (var _ in numbers.ToBlockingEnumerable(ct))
            {
                count++;
            }
        }
        catch (Exception failure) when (failure is not OperationCanceledException)
        {
            return count;
        }

        return -1;
    }

    public int FailAt(int number, IAsyncEnumerable<int> numbers, CancellationToken ct) =>
        numbers.ToBlockingEnumerable(ct).Contains(number) ? throw new InvalidOperationException($"at {number}") : number;

    public int TakeAndWait(int count, IAsyncEnumerable<string> items, CancellationToken ct)
    {
        _ = items.ToBlockingEnumerable(CancellationToken.None).Take(count).Count();
        ct.WaitHandle.WaitOne();
        ct.ThrowIfCancellationRequested();
        return count;
    }

    public IEnumerable<int> Double(IAsyncEnumerable<int> numbers, CancellationToken ct) => numbers.ToBlockingEnumerable(ct).Select(static number => 2 * number);

    public IEnumerable<string> Repeat(int times, IAsyncEnumerable<string> items, CancellationToken ct) =>
        items.ToBlockingEnumerable(ct).SelectMany(item => Enumerable.Repeat(item, times));
}
