namespace Weir.LightNode.Tests.Contracts;

/// <summary>Operations that throw what they have not declared.</summary>
[Get]
public abstract class FailureOperations
{
    public int Result() => throw new InvalidOperationException("the secret of the result");

    public void Void() => throw new InvalidOperationException("the secret of void");

    public async Task Later()
    {
        await Task.Yield();
        throw new InvalidOperationException("the secret of the task");
    }

    public async IAsyncEnumerable<int> Stream()
    {
        await Task.Yield();
        yield return Result();
    }
}

[Service]
public sealed class FailureContract : FailureOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedFailureContract : FailureOperations;
