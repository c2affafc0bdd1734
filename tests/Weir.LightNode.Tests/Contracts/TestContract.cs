using System.Collections.Concurrent;
using System.ComponentModel.DataAnnotations;

namespace Weir.LightNode.Tests.Contracts;

/// <summary>Synchronous and asynchronous results, and bodies that are read as they are.</summary>
[Get, Post]
public abstract class TestContractOperations
{
    // One entry for each test that stores; a worker has its own.
    private static readonly ConcurrentDictionary<string, string> Texts = new();

    public int Add(int x, int y) => x + y;

    public Task<int> TaskAdd(int x, int y) => Task.FromResult(x + y);

    public ValueTask<int> ValueTaskAdd(int x, int y) => new(x + y);

    public int AddWithDefault(int x, int y, int z = 300) => x + y + z;

    public Task<int> TaskAddWithDefault(int x, int y, int z = 300) => Task.FromResult(x + y + z);

    public int AddDigits([Range(0, 9)] int x, [Range(0, 9)] int y) => x + y;

    /// <summary>The task's type derives from the declared one.</summary>
    public Task<int[]> Both(int x, int y) => Task.WhenAll(Task.FromResult(x), Task.FromResult(y));

    /// <summary>The declared type has no result; the task has one.</summary>
    public Task AddInVain(int x, int y) => Task.FromResult(x + y);

    public void VoidCheck(string guid, string after) => Texts[guid] = after;

    public async Task TaskVoidCheck(string guid, string after)
    {
        await Task.Yield();
        Texts[guid] = after;
    }

    public async ValueTask ValueTaskVoidCheck(string guid, string after)
    {
        await Task.Yield();
        Texts[guid] = after;
    }

    /// <summary>What the three operations above have stored.</summary>
    public string Stored(string guid) => Texts.GetValueOrDefault(guid, "nothing");

    public async IAsyncEnumerable<int> Count(int n)
    {
        for (var i = 1; i <= n; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    /// <summary>A token is no parameter for callers.</summary>
    public string CanBeCancelled(CancellationToken cancellationToken) => cancellationToken.CanBeCanceled ? "yes" : "no";

    [Post]
    public int PostByte(ReadOnlyMemory<byte> body) => body.Length;

    [Post]
    public byte[] EchoByte(byte[] body) => body;

    [Operation("Twice")]
    public string Overloaded(int x) => $"{2 * x}";

    [Operation("TwiceText")]
    public string Overloaded(string x) => x + x;

    public Person CreatePerson(int age, string name) => new(age, name);
}

/// <summary>The one object of LightNode's tests.</summary>
/// <param name="Age">In years.</param>
/// <param name="Name">Of any characters.</param>
public sealed record Person(int Age, string Name);

[Service]
public sealed class TestContract : TestContractOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedTestContract : TestContractOperations;
