using System.Security.Claims;

namespace Weir.IntegrationTests.Execution;

/// <summary>Batches through whichever client the probe has.</summary>
internal interface IProbing
{
    IAsyncEnumerable<BatchResult<int>> AddOneToEach(IReadOnlyList<int> numbers, CancellationToken cancellationToken);

    IAsyncEnumerable<BatchResult<int>> FailEach(IReadOnlyList<string> messages);

    IAsyncEnumerable<BatchResult<NoResult>> ForgetEach(IReadOnlyList<int> numbers);

    Task<string> WhoAsync(ClaimsPrincipal? user);
}

/// <summary>The operations of a probe that these need.</summary>
internal sealed record Probing<TClient>(
    TClient Client,
    Func<TClient, int, int, CancellationToken, ValueTask<int>> Add,
    Func<TClient, string, CancellationToken, ValueTask<int>> Fail,
    Func<TClient, CancellationToken, ValueTask> Forget,
    Func<TClient, ClaimsPrincipal?, CancellationToken, ValueTask<string>> Who) : IProbing
    where TClient : class
{
    public IAsyncEnumerable<BatchResult<int>> AddOneToEach(IReadOnlyList<int> numbers, CancellationToken cancellationToken) =>
        Batch.Of(Client, numbers, (client, number) => Add(client, number, 1, cancellationToken), cancellationToken);

    public IAsyncEnumerable<BatchResult<int>> FailEach(IReadOnlyList<string> messages) =>
        Batch.Of(Client, messages, (client, message) => Fail(client, message, default));

    public IAsyncEnumerable<BatchResult<NoResult>> ForgetEach(IReadOnlyList<int> numbers) =>
        Batch.Of(Client, numbers, (client, _) => Forget(client, default));

    public Task<string> WhoAsync(ClaimsPrincipal? user) => Who(Client, user, default).AsTask();
}
