namespace Weir.TypeScript.Tests.Application;

/// <summary>What is sent comes back: for the client in C#.</summary>
[Service]
public interface IMirror
{
    [Post]
    IAsyncEnumerable<Everything> Back(IReadOnlyList<Everything> values, CancellationToken ct = default);
}
