using Weir.Execution;

namespace Weir.IntegrationTests.Execution;

/// <summary>Batches and calls from a thread of one's own, through whichever client the probe has.</summary>
internal interface IProbing
{
    IAsyncEnumerable<BatchResult<int>> AddOneToEach(IReadOnlyList<int> numbers, CancellationToken cancellationToken);

    IAsyncEnumerable<BatchResult<int>> FailEach(IReadOnlyList<string> messages);

    IAsyncEnumerable<BatchResult<NoResult>> ForgetEach(IReadOnlyList<int> numbers);

    int AddOnThisThread(int a, int b);

    int FailOnThisThread(string message);

    void ForgetOnThisThread();
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

    public int AddOnThisThread(int a, int b) => Ended(Add(OwnThread.Client(Client), a, b, default));

    public int FailOnThisThread(string message) => Ended(Fail(OwnThread.Client(Client), message, default));

    public void ForgetOnThisThread()
    {
        var task = Forget(OwnThread.Client(Client), default);
        if (!task.IsCompletedSuccessfully)
        {
            throw new InvalidOperationException("The call has not ended.");
        }
    }

    private static T Ended<T>(ValueTask<T> task) => task.IsCompleted ? task.Result : throw new InvalidOperationException("The call has not ended.");
}
