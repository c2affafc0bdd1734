namespace Weir.Client.Tests.Services;

public sealed class GoneException(string message) : Exception(message);

public sealed class QuietException(string message) : Exception(message);

/// <summary>Streams both ways, failures, and calls that wait.</summary>
[Service]
public interface IStreams
{
    IAsyncEnumerable<int> Count(int n, int pauseEach = 0, CancellationToken ct = default);

    [Get]
    [Throws(typeof(GoneException), Status = 410)]
    IAsyncEnumerable<Part> Fail(int after, string kind, CancellationToken ct = default);

    IAsyncEnumerable<Dictionary<string, string>> Marked(int n, CancellationToken ct = default);

    IAsyncEnumerable<ReadOnlyMemory<byte>> Bytes(int n, CancellationToken ct = default);

    IAsyncEnumerable<byte[]> Blocks(int n, CancellationToken ct = default);

    ValueTask<int> Total(IAsyncEnumerable<Part> parts, string name, CancellationToken ct = default);

    IAsyncEnumerable<int> Doubled(IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    [Throws(typeof(GoneException), Status = 410)]
    [Throws(typeof(QuietException))]
    Task Throw(string kind, string message, CancellationToken ct = default);

    ValueTask<int> Remaining(CancellationToken ct = default);

    /// <summary>Calls <see cref="Remaining"/> of the server at the address.</summary>
    ValueTask<int> RemainingThere(string address, CancellationToken ct = default);

    ValueTask Wait(CancellationToken ct = default);

    IAsyncEnumerable<int> WaitAfter(int n, CancellationToken ct = default);
}
