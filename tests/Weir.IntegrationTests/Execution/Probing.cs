namespace Weir.IntegrationTests.Execution;

/// <summary>Batches through whichever client the probe has.</summary>
internal interface IProbing
{
    IAsyncEnumerable<BatchResult<int>> AddOneToEach(IReadOnlyList<int> numbers, CancellationToken cancellationToken);

    IAsyncEnumerable<BatchResult<int>> FailEach(IReadOnlyList<string> messages);

    IAsyncEnumerable<BatchResult<NoResult>> ForgetEach(IReadOnlyList<int> numbers);
}

/// <summary>The operations of a probe that these need.</summary>
internal sealed record Probing<TClient>(
    TClient Client,
    Func<TClient, int, int, CancellationToken, ValueTask<int>> Add,
    Func<TClient, string, CancellationToken, ValueTask<int>> Fail,
    Func<TClient, CancellationToken, ValueTask> Forget) : IProbing
    where TClient : class
{
    public IAsyncEnumerable<BatchResult<int>> AddOneToEach(IReadOnlyList<int> numbers, CancellationToken cancellationToken) =>
        Batch.Of(Client, numbers, (client, number) => Add(client, number, 1, cancellationToken), cancellationToken);

    public IAsyncEnumerable<BatchResult<int>> FailEach(IReadOnlyList<string> messages) =>
        Batch.Of(Client, messages, (client, message) => Fail(client, message, default));

    public IAsyncEnumerable<BatchResult<NoResult>> ForgetEach(IReadOnlyList<int> numbers) =>
        Batch.Of(Client, numbers, (client, _) => Forget(client, default));
}
