using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Weir.IntegrationTests.Services;

/// <summary>Operations around which tests put endpoint filters: one for each place where a call runs.</summary>
[Service]
public sealed class Filtered
{
    /// <summary>How many calls have reached this process's operations.</summary>
    internal static int Runs;

    [Get, Post, Description("inline")] public Task<int> Inline(OperationContext context, [Description("a number")] int x, CancellationToken ct) => Task.FromResult(Count(x));

    [Get, Post, Blocking] public int Lane(OperationContext context, int x, CancellationToken ct) => Count(x);

    [Get, Post, Isolated(Kinds.Pool)] public int Worker(OperationContext context, int x, CancellationToken ct) => Count(x);

    [Get, Post]
    public async IAsyncEnumerable<int> Stream(OperationContext context, int x, [EnumeratorCancellation] CancellationToken ct)
    {
        await Task.Yield();
        yield return Count(x);
        yield return x + 1;
    }

    [Get, Post, Isolated(Kinds.Pool)]
    public async IAsyncEnumerable<int> WorkerStream(OperationContext context, int x, [EnumeratorCancellation] CancellationToken ct)
    {
        await Task.Yield();
        yield return Count(x);
        yield return x + 1;
    }

    [Get, Post] public Task<string> Text(string x) => Task.FromResult("text " + x);

    [Isolated(Kinds.Pool)] public FilteredNote? WorkerNote(FilteredNote? note) => note;

    [Get, Post] public void Nothing(int x) => Count(x);

    [Get, Post] public int Fail(int x) => throw new InvalidOperationException("failed " + x);

    [Get, Post, Isolated(Kinds.Pool)] public int WorkerFail(int x) => throw new InvalidOperationException("failed " + x);

    [Get]
    public async IAsyncEnumerable<int> FailingStream(int x)
    {
        await Task.Yield();
        if (x > 0)
        {
            throw new InvalidOperationException("failed " + x);
        }

        yield return x;
    }

    [Get] public int Chosen() => throw new OperationStatusException(410);

    public async Task<int> Sum(IAsyncEnumerable<int> numbers)
    {
        var sum = 0;
        await foreach (var number in numbers)
        {
            sum += number;
        }

        return Count(sum);
    }

    private static int Count(int x)
    {
        Interlocked.Increment(ref Runs);
        return x;
    }
}

/// <summary>An object that a filter may change.</summary>
public sealed class FilteredNote
{
    public required string Text { get; set; }
}
