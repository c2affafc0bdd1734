namespace Weir.IntegrationTests.Services;

/// <summary>What a worker's code may do wrong with the items of a request.</summary>
[Service, Isolated("misbehaviour")]
public sealed class RequestMisbehaviour
{
    /// <summary>Ends its process in the middle of the items.</summary>
    public async Task<int> TakeAndExit(int count, IAsyncEnumerable<int> numbers, CancellationToken ct)
    {
        await numbers.Take(count).CountAsync(ct);
        Environment.Exit(7);
        return count;
    }

    /// <summary>Ends its first process, before or after it has asked for an item; a file says that it was there.</summary>
    [Idempotent]
    public async Task<int> ExitOnce(string marker, bool asksFirst, IAsyncEnumerable<int> numbers, CancellationToken ct)
    {
        if (asksFirst)
        {
            return await numbers.Select(one => ExitUnless(marker, one)).FirstAsync(ct);
        }

        ExitUnless(marker, 0);
        return await numbers.CountAsync(ct);
    }

    /// <summary>Gives an answer while it still waits for an item.</summary>
    public async Task<string> Forget(IAsyncEnumerable<int> numbers)
    {
        var items = numbers.GetAsyncEnumerator(CancellationToken.None);
        var forgotten = items.MoveNextAsync().AsTask();
        await Task.Yield();
        _ = forgotten.ContinueWith(static one => one.Exception, TaskScheduler.Default);
        return "forgotten";
    }

    /// <summary>Asks for more after the items have failed.</summary>
    public async Task<string> AskAgain(IAsyncEnumerable<int> numbers, CancellationToken ct)
    {
        await using var items = numbers.GetAsyncEnumerator(ct);
        var said = new List<string>();
        for (var i = 0; i < 3; i++)
        {
            try
            {
                said.Add($"{await items.MoveNextAsync()}");
            }
            catch (IOException failure)
            {
                said.Add(failure.Message);
            }
        }

        return string.Join('|', said);
    }

    /// <summary>Throws something of its own over items that failed.</summary>
    public async Task<int> Replace(IAsyncEnumerable<int> numbers, CancellationToken ct)
    {
        try
        {
            return await numbers.CountAsync(ct);
        }
        catch (IOException failure)
        {
            throw new InvalidOperationException("the import is incomplete", failure);
        }
    }

    public async Task<long> Weigh(IAsyncEnumerable<byte[]> parts, CancellationToken ct)
    {
        var weight = 0L;
        await foreach (var part in parts.WithCancellation(ct))
        {
            weight += part.Length;
        }

        return weight;
    }

    /// <summary>Takes some and then nothing more, until its caller cancels.</summary>
    public async Task<int> TakeAndWait(int count, IAsyncEnumerable<byte[]> parts, CancellationToken ct)
    {
        // Without the token, as people forget it: the items must end with the call all the same.
        await parts.Take(count).CountAsync(CancellationToken.None);
        await Task.Delay(Timeout.Infinite, ct);
        return count;
    }

    /// <summary>Waits for an item without any token.</summary>
    public async Task<int> WaitForItem(IAsyncEnumerable<int> numbers) => await numbers.CountAsync(CancellationToken.None);

    private static int ExitUnless(string marker, int value)
    {
        if (!File.Exists(marker))
        {
            File.WriteAllText(marker, "");
            Environment.Exit(7);
        }

        return value;
    }
}
