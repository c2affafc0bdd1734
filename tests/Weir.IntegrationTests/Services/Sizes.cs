namespace Weir.IntegrationTests.Services;

/// <summary>The leanest shapes a call can have.</summary>
[Service]
public interface ISizes
{
    ValueTask<int> Length(ReadOnlyMemory<byte> data, CancellationToken cancellationToken = default);

    ValueTask Nothing(int number, CancellationToken cancellationToken = default);

    ValueTask<string> Text(int number, CancellationToken cancellationToken = default);
}

[Service(typeof(ISizes)), Isolated("sizes")]
public sealed class Sizes
{
    public int Length(ReadOnlyMemory<byte> data) => data.Length;

    public void Nothing(int number)
    {
    }

    public string Text(int number) => "12345678";
}

/// <summary>The same on the lane.</summary>
[Service, Blocking]
public sealed class LaneSizes
{
    public int Length(ReadOnlyMemory<byte> data) => data.Length;
}
