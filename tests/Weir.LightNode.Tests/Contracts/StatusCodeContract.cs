namespace Weir.LightNode.Tests.Contracts;

/// <summary>Operations that choose the status of their response.</summary>
[Get]
public abstract class StatusCodeOperations
{
    public void Redirect() => throw new OperationStatusException(302, headers: new Dictionary<string, string> { ["Location"] = "/elsewhere" });

    public int Unauthorized() => throw new OperationStatusException(401);

    public Task<int> Unavailable() => throw new OperationStatusException(503);

    public Task Content() => throw new OperationStatusException(305, "UseProxy....");

    public async Task<string> Conflict()
    {
        await Task.Yield();
        throw new OperationStatusException(409, "z", new Dictionary<string, string> { ["X-Reason"] = "taken" });
    }

    public async IAsyncEnumerable<int> Stream()
    {
        await Task.Yield();
        yield return Unauthorized();
    }

    public string Created(OperationContext context)
    {
        context.StatusCode = 201;
        context.Headers["X-Made"] = "yes";
        return "made";
    }
}

[Service]
public sealed class StatusCodeContract : StatusCodeOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedStatusCodeContract : StatusCodeOperations;
