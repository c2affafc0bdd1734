namespace Weir.IntegrationTests.Services;

/// <summary>The leanest shapes a call can have.</summary>
[Service]
public interface ISizes
{
    ValueTask<int> Length(ReadOnlyMemory<byte> data, CancellationToken cancellationToken = default);

    ValueTask Nothing(int number, CancellationToken cancellationToken = default);

    ValueTask<string> Text(int number, CancellationToken cancellationToken = default);

    ValueTask<int> LengthLater(ReadOnlyMemory<byte> data, CancellationToken cancellationToken = default);

    /// <summary>What the process has allocated since it began.</summary>
    ValueTask<long> AllocatedBytes(CancellationToken cancellationToken = default);
}

[Service(typeof(ISizes)), Isolated("sizes")]
public sealed class Sizes
{
    public int Length(ReadOnlyMemory<byte> data) => data.Length;

    public void Nothing(int number)
    {
    }

    public string Text(int number) => "12345678";

    public ValueTask<int> LengthLater(ReadOnlyMemory<byte> data) => new(data.Length);

    public long AllocatedBytes() => GC.GetTotalAllocatedBytes(precise: true);
}

/// <summary>The same on the lane.</summary>
[Service, Blocking]
public sealed class LaneSizes
{
    public int Length(ReadOnlyMemory<byte> data) => data.Length;
}

public sealed record Echoed(string Name, int Sum);

/// <summary>A small request, as document 004 compares frameworks by.</summary>
[Service]
public sealed class Echoes
{
    [Get]
    public Echoed Echo(string name, int x, int y) => new(name, x + y);

    [Get]
    public int Sum(int x, int y) => x + y;
}

/// <summary>Lets something else run before the operation does.</summary>
public sealed class HesitatesAttribute : OperationFilterAttribute
{
    public override async ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        await Task.Yield();
        await next();
    }
}

/// <summary>An isolated operation behind a filter that waits.</summary>
[Service, Isolated("sizes")]
public sealed class HesitantSizes
{
    [Hesitates]
    public int Length(ReadOnlyMemory<byte> data) => data.Length;
}
